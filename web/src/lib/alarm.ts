// Tells somebody who looks elsewhere: a notification of the browser, a sound, for what newly fails in the list that is open.
// Both are off until they are asked for.
import { useEffect, useRef } from 'preact/hooks';
import { now } from './clock.ts';
import type { EventList } from './event-list.ts';
import { plural } from './format.ts';
import { newlyFailing } from './newly-failing.ts';
import { isNotifying, isSounding } from './settings.ts';
import { playAlarm } from './sound.ts';

const maxNamed = 4;

const tell = (keys: readonly string[]): void => {
  if (isSounding.peek() === 'on') void playAlarm();
  if (isNotifying.peek() !== 'on' || Notification.permission !== 'granted') return;
  const named = keys.slice(0, maxNamed).join('\n');
  const note = new Notification(`mon: ${plural(keys.length, 'new incident')}`, {
    body: keys.length > maxNamed ? `${named}\n…` : named,
    // Several tabs tell the same once.
    tag: `mon ${keys[0]}`,
  });
  note.onclick = () => {
    focus();
    note.close();
  };
};

/** `key`: of the question; what another question finds is no news. */
export const useAlarm = (key: string, list: EventList, isLoaded: boolean): void => {
  const seen = useRef<{ readonly key: string; readonly list: EventList; readonly at: number } | undefined>(
    undefined,
  );
  useEffect(() => {
    const before = seen.current;
    const isSame = before?.key === key;
    seen.current = isLoaded ? { key, list, at: isSame ? before.at : now.peek() / 1000 } : undefined;
    if (!isSame || !isLoaded) return;
    const news = newlyFailing(before.list, list, before.at);
    if (news.length > 0) tell(news);
  }, [key, list, isLoaded]);
};

/** Asks the browser; false when it, or the person, said no. */
export const mayNotify = async (): Promise<boolean> =>
  typeof Notification !== 'undefined' && (await Notification.requestPermission()) === 'granted';
