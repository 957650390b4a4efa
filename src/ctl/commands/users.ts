// Users: passwords, groups, and whether they are let in.
import { ApiClient, refusalOf } from '../client/api-client.ts';
import { transportOf } from '../client/tokens.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { userCommands } from '../kinds/access.ts';
import { kindOfPath, listPath, resourcePath } from '../kinds/addresses.ts';
import { askSecret, confirm } from '../prompt.ts';
import type { Session } from '../session.ts';
import { readStandardInput } from '../sources/standard-input.ts';
import { describing, read } from './resources.ts';

/** As the reference hashes; the server takes no higher one. */
const bcryptCost = 10;

const users = kindOfPath('users');
const at = (name: string, ...more: readonly string[]): string =>
  [resourcePath(users, '', name), ...more.map(encodeURIComponent)].join('/');

const ask = async (
  session: Session,
  method: string,
  name: string,
  more: readonly string[],
  body?: unknown,
) => {
  const api = await session.api();
  return describing(session, `user "${name}"`, false, api.ask(method, at(name, ...more), { body }));
};

const given = (session: Session, flag: string): string | undefined => {
  const value = session.given[flag];
  return typeof value === 'string' ? value : undefined;
};

/** Asked twice when it is not given. */
const newPassword = async (session: Session, flag: string): Promise<string> => {
  const known = given(session, flag);
  if (known !== undefined) return known;
  const password = await askSecret(session, 'New password');
  if ((await askSecret(session, 'New password again')) !== password)
    throw new CtlError("Password confirmation doesn't match the password");
  return password;
};

const hashOf = async (password: string): Promise<string> => {
  const { hash } = await import('@node-rs/bcrypt');
  return hash(password, { cost: bcryptCost });
};

export const createUser: Work = async (session, [username = '']) => {
  const password = await newPassword(session, 'password');
  const groups = session.given.groups ?? [];
  await (await session.api()).ask('POST', listPath(users, undefined), {
    body: { username, password, groups },
  });
  session.print('Created');
};

export const disable: Work = async (session, [name = '']) => {
  if (!(await confirm(session, `Are you sure you would like to disable user '${name}'?`)))
    return session.print('Canceled');
  await ask(session, 'DELETE', name, []);
  session.print('Disabled');
};

export const reinstate: Work = async (session, [name = '']) => {
  await ask(session, 'PUT', name, ['reinstate']);
  session.print('Reinstated');
};

export const addGroup: Work = async (session, [name = '', group = '']) => {
  await ask(session, 'PUT', name, ['groups', group]);
  session.print('Added');
};

export const removeGroup: Work = async (session, [name = '', group = '']) => {
  await ask(session, 'DELETE', name, ['groups', group]);
  session.print('Removed');
};

export const removeGroups: Work = async (session, [name = '']) => {
  await ask(session, 'DELETE', name, ['groups']);
  session.print('Removed');
};

/** Adds first and removes then: an interruption leaves more groups, not none. */
export const setGroups: Work = async (session, [name = '', list = '']) => {
  const wanted = list
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
  const { groups } = await read(session, userCommands, [name]);
  const present = (groups as string[] | null) ?? [];
  for (const group of wanted.filter((word) => !present.includes(word)))
    await ask(session, 'PUT', name, ['groups', group]);
  for (const group of present.filter((word) => !wanted.includes(word)))
    await ask(session, 'DELETE', name, ['groups', group]);
  session.print('Updated');
};

const ownName = (session: Session): string => {
  const payload = session.settings.saved.access_token?.split('.')[1];
  if (session.settings.apiKey !== '' || payload === undefined)
    throw new CtlError('name the user: with an API key it is not known whose password it is');
  return String(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')).sub);
};

export const changePassword: Work = async (session, [word]) => {
  const name = word ?? ownName(session);
  const current = given(session, 'current-password') ?? (await askSecret(session, 'Current password'));
  const next = await newPassword(session, 'new-password');
  await ask(session, 'PUT', name, ['change_password'], { password: current, password_new: next });
  session.print('Updated');
};

export const resetPassword: Work = async (session, [name = '']) => {
  const password = await newPassword(session, 'password');
  await ask(session, 'PUT', name, ['reset_password'], { password_hash: await hashOf(password) });
  session.print('Updated');
};

export const hashPassword: Work = async (session, [word]) => {
  const read = async (): Promise<string> =>
    session.canAsk
      ? askSecret(session, 'Password')
      : (await readStandardInput(session)).replace(/\r?\n$/, '');
  session.print(await hashOf(word ?? (await read())));
};

/** Silent when the password is right. */
export const testCredentials: Work = async (session, [name = '']) => {
  if (session.settings.apiUrl === '')
    throw new CtlError('No API URL is defined: use --api-url, or run "mon-ctl configure"');
  const password = given(session, 'password') ?? (await askSecret(session, 'Password'));
  const client = new ApiClient(session.settings.apiUrl, transportOf(session.settings, session.streams.env));
  const basic = Buffer.from(`${name}:${password}`).toString('base64');
  const reply = await client.send('GET', '/auth/test', { headers: { Authorization: `Basic ${basic}` } });
  if (reply.status >= 400) throw refusalOf(reply);
};
