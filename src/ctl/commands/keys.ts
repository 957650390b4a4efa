// API keys: made for a user and shown once, and taken back.
import type { Work } from '../command.ts';
import { kindOfPath, listPath, resourcePath } from '../kinds/addresses.ts';
import { confirm } from '../prompt.ts';
import { describing } from './resources.ts';

const keys = kindOfPath('apikeys');

export const grant: Work = async (session, [username = '']) => {
  const { headers } = await (await session.api()).ask('POST', listPath(keys, undefined), {
    body: { username },
  });
  session.print(`Created: ${headers.location ?? ''}`);
};

export const revoke: Work = async (session, [name = '']) => {
  if (!(await confirm(session, `Are you sure you would like to delete api-key resource '${name}'?`)))
    return session.print('Canceled');
  await describing(
    session,
    `api-key "${name}"`,
    false,
    (await session.api()).ask('DELETE', resourcePath(keys, '', name)),
  );
  session.print('Deleted');
};
