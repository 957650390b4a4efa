// What only checks have: running one now, hooks, and the parts that are read from a file.
import { readFile } from 'node:fs/promises';
import { warningsOf } from '../client/warnings.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { checkCommands } from '../kinds/watching.ts';
import { ask } from '../prompt.ts';
import type { Session } from '../session.ts';
import { readStandardInput } from '../sources/standard-input.ts';
import { change, describing, onePath } from './resources.ts';

const one = (session: Session, name: string): string => onePath(session, checkCommands, [name]);
const about = <T>(session: Session, name: string, work: Promise<T>): Promise<T> =>
  describing(session, `check "${name}"`, true, work);

export const execute: Work = async (session, [name = '']) => {
  const { reason, subscriptions, wait } = session.given;
  const body = { check: name, subscriptions: subscriptions ?? [], reason: reason ?? '' };
  const api = await session.api();
  const waits = wait === 'true' ? await import('./await-results.ts') : undefined;
  const check = waits === undefined ? undefined : await about(session, name, api.getOne(one(session, name)));
  const awaited =
    check &&
    (await waits?.beforeExecution(session, check, (subscriptions ?? check.subscriptions ?? []) as string[]));
  const reply = await about(session, name, api.ask('POST', `${one(session, name)}/execute`, { body }));
  for (const warning of warningsOf(reply)) session.note(`Warning: ${warning}`);
  if (awaited === undefined) return session.print('Issued');
  const { issued } = JSON.parse(reply.text) as { readonly issued: number };
  await waits?.awaitResults(session, name, issued, awaited);
};

export const setHooks: Work = async (session, [name = '']) => {
  const given = async (flag: string): Promise<string> => {
    const value = session.given[flag];
    return value === undefined ? ask(session, flag) : String(value);
  };
  const type = await given('type');
  const hooks = (await given('hooks')).split(',').filter((hook) => hook !== '');
  const api = await session.api();
  const path = `${one(session, name)}/hooks/${encodeURIComponent(type)}`;
  await about(session, name, api.ask('PUT', path, { body: { [type]: hooks } }));
  session.print('Updated');
};

export const removeHook: Work = async (session, [name = '', type = '', hook = '']) => {
  const path = `${one(session, name)}/hooks/${encodeURIComponent(type)}/hook/${encodeURIComponent(hook)}`;
  const what = `hook "${hook}" for "${type}" of check "${name}"`;
  await describing(session, what, true, (await session.api()).ask('DELETE', path));
  session.print('Removed');
};

type Part = 'proxy-requests' | 'subdue';
const keyOf = (part: Part): string => part.replace('-', '_');

const readPart = async (session: Session): Promise<unknown> => {
  const { file } = session.given;
  const text = typeof file === 'string' ? await readFile(file, 'utf8') : await readStandardInput(session);
  const { readYaml } = await import('../../program/yaml.ts');
  try {
    return readYaml(text);
  } catch (error) {
    throw new CtlError(`${typeof file === 'string' ? file : 'standard input'}: ${(error as Error).message}`);
  }
};

export const setPart =
  (part: Part): Work =>
  async (session, [name = '']) => {
    const value = await readPart(session);
    if (typeof value !== 'object' || value === null) throw new CtlError(`${part} must be an object`);
    await change(session, checkCommands, [name], (check) => {
      check[keyOf(part)] = value;
    });
    session.print('Updated');
  };

export const removePart =
  (part: Part): Work =>
  async (session, [name = '']) => {
    await change(session, checkCommands, [name], (check) => {
      check[keyOf(part)] = null;
    });
    session.print('Removed');
  };
