// Before a wallboard: an API key, asked for once in this browser.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { offeredKey } from '../hub/wall-key.ts';
import { go, path, query } from '../lib/router.ts';
import { isAsking, whyLoggedOut } from '../lib/session.ts';
import { takeWallKey } from '../lib/wall.ts';
import { Problem } from '../parts/bits.tsx';
import { Mark } from '../parts/mark.tsx';

export const WallLogin = () => {
  const problem = useSignal<string | undefined>(whyLoggedOut.value || undefined);
  const isBusy = useSignal(false);
  const take = async (key: string): Promise<void> => {
    isBusy.value = true;
    problem.value = await takeWallKey(key).catch(() => 'The backend does not answer. Is it running?');
    isBusy.value = false;
    // From here on this tab has a login of its own.
    if (problem.value === undefined) location.reload();
  };
  useEffect(() => {
    if (!isAsking.value && offeredKey.value !== '') void take(offeredKey.value);
  }, [isAsking.value]);
  if (isAsking.value) return <main class="login" aria-busy="true" />;
  const withoutWall = new URLSearchParams(query.value);
  withoutWall.delete('wall');
  return (
    <main class="login">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void take(String(new FormData(event.currentTarget).get('key')).trim());
        }}
      >
        <h1>
          <Mark /> Wallboard
        </h1>
        <label>
          API key that may only read
          <input name="key" type="password" autocomplete="off" required autofocus />
        </label>
        <p class="dim">
          Kept in this browser, asked for once. <code>mon-ctl api-key grant USER</code> makes one.
        </p>
        {problem.value !== undefined && <Problem text={problem.value} />}
        <button type="submit" class="primary" disabled={isBusy.value}>
          {isBusy.value ? 'Looking at the key…' : 'Show the wall'}
        </button>
        <button type="button" onClick={() => go(`${path.value}?${withoutWall}`)}>
          Log in instead
        </button>
      </form>
    </main>
  );
};
