// The way in.
import { useSignal } from '@preact/signals';
import { login } from '../lib/session.ts';
import { Problem } from '../parts/bits.tsx';
import { Mark } from '../parts/mark.tsx';

export const Login = () => {
  const problem = useSignal<string | undefined>(undefined);
  const busy = useSignal(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    busy.value = true;
    problem.value = await login(String(form.get('user')), String(form.get('password'))).catch(
      () => 'The backend does not answer. Is it running?',
    );
    busy.value = false;
  };
  return (
    <main class="login">
      <form onSubmit={submit}>
        <h1>
          <Mark /> mon
        </h1>
        <label>
          User
          <input name="user" autocomplete="username" required autofocus />
        </label>
        <label>
          Password
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        {problem.value !== undefined && <Problem text={problem.value} />}
        <button type="submit" class="primary" disabled={busy.value}>
          {busy.value ? 'Logging in…' : 'Log in'}
        </button>
      </form>
    </main>
  );
};
