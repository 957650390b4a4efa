// Questions to the person at the terminal, on standard error so that standard output stays for programs. A password is read
// without echo. Nothing is asked where nobody can answer.
import { CtlError } from './failure.ts';
import type { Session } from './session.ts';

const canceled = () => new CtlError('Canceled');

const readAnswer = async (session: Session, question: string, echo: boolean): Promise<string> => {
  if (!session.canAsk) throw new CtlError(`there is no terminal to ask for "${question}": give it as a flag`);
  const { in: input, err } = session.streams;
  if (!echo) err.write(question);
  const { createInterface } = await import('node:readline/promises');
  const { Writable } = await import('node:stream');
  const output = echo ? err : new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input, output, terminal: true });
  const end = new AbortController();
  lines.once('SIGINT', () => end.abort());
  lines.once('close', () => end.abort());
  try {
    return await lines.question(echo ? question : '', { signal: end.signal });
  } catch {
    throw canceled();
  } finally {
    lines.close();
    if (!echo) err.write('\n');
  }
};

/** The default when the answer is empty. */
export const ask = async (session: Session, label: string, otherwise = ''): Promise<string> => {
  const shown = otherwise === '' ? '' : ` (${otherwise})`;
  return (await readAnswer(session, `${label}:${shown} `, true)).trim() || otherwise;
};

export const askSecret = (session: Session, label: string): Promise<string> =>
  readAnswer(session, `${label}: `, false);

export const askChoice = async <T extends string>(
  session: Session,
  label: string,
  choices: readonly T[],
  otherwise: T,
): Promise<T> => {
  for (;;) {
    const answer = await ask(session, `${label} [${choices.join(', ')}]`, otherwise);
    const found = choices.find((choice) => choice === answer);
    if (found !== undefined) return found;
    session.note(`choose one of ${choices.join(', ')}`);
  }
};

/** Default no. Throws where nobody can answer: a script must say --skip-confirm. */
export const confirm = async (session: Session, question: string): Promise<boolean> => {
  if (session.given['skip-confirm'] === 'true') return true;
  if (!session.canAsk)
    throw new CtlError(`${question} There is no terminal to answer on: use --skip-confirm`);
  return /^y(es)?$/i.test((await readAnswer(session, `${question} (y/N) `, true)).trim());
};
