// What the keys do, as registered by what is on screen.
import { shortcuts } from '../lib/keys.ts';

const always: readonly (readonly [string, string])[] = [
  ['Ctrl+K', 'Go to anything'],
  ['?', 'This help'],
];

export const Help = () => {
  const own = shortcuts.value.filter(
    (one) => !always.some(([keys]) => keys === one.keys || one.keys === 'Ctrl+k'),
  );
  return (
    <dl class="keys">
      {[...own.map((one): [string, string] => [one.keys, one.what]), ...always].map(([keys, what]) => (
        <div key={keys}>
          <dt>
            <kbd>{keys}</kbd>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
};
