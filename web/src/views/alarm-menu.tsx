// Whether what newly fails is told: by a notification of the browser, by a sound.
import { useSignal } from '@preact/signals';
import { mayNotify } from '../lib/alarm.ts';
import { isNotifying, isSounding } from '../lib/settings.ts';
import { playAlarm } from '../lib/sound.ts';
import { Menu } from '../parts/menu.tsx';

export const AlarmMenu = () => {
  const why = useSignal('');
  const isOn = isNotifying.value === 'on' || isSounding.value === 'on';
  const notify = async (wanted: boolean): Promise<void> => {
    const isGranted = !wanted || (await mayNotify());
    isNotifying.value = wanted && isGranted ? 'on' : 'off';
    why.value = isGranted ? '' : 'The browser does not let this page notify: see its settings of this site.';
  };
  const sound = async (wanted: boolean): Promise<void> => {
    isSounding.value = wanted ? 'on' : 'off';
    if (wanted) await playAlarm();
  };
  return (
    <Menu label={isOn ? 'Alerts on' : 'Alerts'} title="Tell me of new incidents" closesOnClick={false}>
      <div class="looks">
        <label>
          <input
            type="checkbox"
            checked={isNotifying.value === 'on'}
            onChange={(event) => void notify(event.currentTarget.checked)}
          />{' '}
          Browser notification
        </label>
        <label>
          <input
            type="checkbox"
            checked={isSounding.value === 'on'}
            onChange={(event) => void sound(event.currentTarget.checked)}
          />{' '}
          Sound
        </label>
        <p class="dim">For what newly fails in the list that is open, in this browser.</p>
        {why.value !== '' && <p role="alert">{why.value}</p>}
      </div>
    </Menu>
  );
};
