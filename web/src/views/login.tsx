// The way in: a name and a password, or an issuer that knows who it is.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { askIssuers, goToIssuer, type Issuer } from '../lib/issuers.ts';
import { isAsking, login, refusal, whyLoggedOut } from '../lib/session.ts';
import { Problem } from '../parts/bits.tsx';
import { Mark } from '../parts/mark.tsx';

export const Login = () => {
  const problem = useSignal(refusal.value === '' ? undefined : refusal.value);
  const told = problem.value ?? (whyLoggedOut.value === '' ? undefined : whyLoggedOut.value);
  const issuers = useSignal<readonly Issuer[]>([]);
  useEffect(() => {
    void askIssuers().then((found) => {
      issuers.value = found;
    });
  }, []);
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
  // Another tab may have a login: nobody is asked before that is known.
  if (isAsking.value) return <main class="login" aria-busy="true" />;
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
        {told !== undefined && <Problem text={told} />}
        <button type="submit" class="primary" disabled={busy.value}>
          {busy.value ? 'Logging in…' : 'Log in'}
        </button>
        {issuers.value.length > 0 && (
          <div class="issuers">
            <span class="or">or</span>
            {issuers.value.map((issuer) => (
              <button key={issuer.name} type="button" onClick={() => goToIssuer(issuer)}>
                Log in with {issuer.name}
              </button>
            ))}
          </div>
        )}
      </form>
    </main>
  );
};
