// Silences: named after what they silence, by a name or by --subscription and --check.
import { readWindow, type SilenceWindow } from '../../model/silence/silence-windows.ts';
import type { Json } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { kindOfPath, listPath } from '../kinds/addresses.ts';
import { eventCommands, silencedCommands } from '../kinds/watching.ts';
import { asJson } from '../output/documents.ts';
import { table } from '../output/table.ts';
import { text, timestamp } from '../output/values.ts';
import { ask, confirm } from '../prompt.ts';
import type { Session } from '../session.ts';
import { readBegin } from '../settings/begin.ts';
import { secondsOf } from '../settings/seconds.ts';
import { change, create, fetchList, info, list, onePath, remove, show, update } from './resources.ts';

const word = (session: Session, flag: string): string => {
  const value = session.given[flag];
  return typeof value === 'string' ? value : '';
};

const nameOf = (session: Session, [name]: readonly string[]): readonly string[] => {
  if (name !== undefined) return [name];
  const subscription = word(session, 'subscription');
  const check = word(session, 'check');
  if (subscription === '' && check === '')
    throw new CtlError('must specify a name, --subscription or --check');
  return [`${subscription || '*'}:${check || '*'}`];
};

interface Target {
  readonly name: string;
  readonly subscription: string;
  readonly check: string;
  readonly selector: string;
}

/** The regular windows of the command line; undefined when none were given. */
const windowsOf = (session: Session): readonly SilenceWindow[] | undefined => {
  const { weekly } = session.given;
  if (!Array.isArray(weekly)) return undefined;
  const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return weekly.map((written: string) => {
    const window = readWindow(written, here);
    if (typeof window === 'string') throw new CtlError(`--weekly: ${window}`);
    return window;
  });
};

/** Windows and end, where they were given. */
const timesOf = (session: Session): Json => {
  const [windows, until] = [windowsOf(session), word(session, 'until')];
  return {
    ...(windows === undefined ? {} : { windows }),
    ...(until === '' ? {} : { expire_at: readBegin(until, new Date(), 'until') }),
  };
};

const withTarget = (session: Session, { name, subscription, check }: Target, reason: string) => ({
  ...silencedCommands,
  complete: (silence: Json) => {
    const begin = word(session, 'begin');
    delete silence.metadata;
    Object.assign(silence, {
      metadata: { ...(name === '' ? {} : { name }), namespace: session.settings.namespace },
      ...(subscription === '' ? {} : { subscription }),
      ...(check === '' ? {} : { check }),
      reason,
      ...(begin === '' || begin === '0' ? {} : { begin: readBegin(begin, new Date()) }),
      ...timesOf(session),
    });
  },
});

/** Which events a silence of now would cover, by the rule that the backend uses. */
const tryCreate = async (session: Session, target: Target): Promise<void> => {
  const { coveredBy } = await import('../../model/silence/silencing.ts');
  const path = listPath(kindOfPath('events'), session.settings.namespace);
  const covered = (await fetchList(session, path)).filter(
    (event) => coveredBy(event as never, [target as never]).length > 0,
  );
  const entities = new Set(covered.map((event) => eventCommands.name(event).split('/')[0]));
  const count = (number: number, noun: string, plural: string): string =>
    `${number} ${number === 1 ? noun : plural}`;
  if (covered.length > 0) await show(session, eventCommands, covered, false);
  session.note(
    `covers ${count(covered.length, 'event', 'events')} on ${count(entities.size, 'entity', 'entities')} now; nothing was written`,
  );
};

export const createSilence: Work = async (session) => {
  const interactive = word(session, 'interactive') === 'true';
  const [name, selector] = [word(session, 'name'), word(session, 'selector')];
  let subscription = word(session, 'subscription');
  let check = word(session, 'check');
  let reason = word(session, 'reason');
  if (interactive) {
    subscription ||= await ask(session, 'Subscription');
    check ||= await ask(session, 'Check');
    reason ||= await ask(session, 'Reason');
  }
  if (subscription === '' && check === '' && selector === '')
    throw new CtlError('must specify --check, --subscription or --selector');
  const target = { name, subscription, check, selector };
  if (word(session, 'dry-run') === 'true') return tryCreate(session, target);
  if (selector !== '' && name === '') throw new CtlError('a silence with a --selector needs a --name');
  if (reason === '') throw new CtlError('must specify --reason');
  await create(withTarget(session, target, reason))(session, ['']);
};

export const updateSilence: Work = async (session, args) => {
  const name = nameOf(session, args);
  const times = timesOf(session);
  if (Object.keys(times).length === 0) return update(silencedCommands)(session, name);
  await change(session, silencedCommands, name, (silence) => Object.assign(silence, times));
  if (silencedCommands.fields.some(({ flag }) => session.given[flag.name] !== undefined))
    return update(silencedCommands)(session, name);
  session.print('Updated');
};

export const extendSilences: Work = async (session, [duration = '', ...names]) => {
  const seconds = secondsOf('the duration', duration);
  for (const name of names) {
    await change(session, silencedCommands, [name], (silence) => {
      const { expire_at: end } = silence;
      if (typeof end !== 'number' || end === 0)
        throw new CtlError(`${name} has no end: there is nothing to extend`);
      silence.expire_at = end + seconds;
    });
    session.print(`Extended ${name}`);
  }
};

export const deleteSilence: Work = async (session, args) => {
  const names = args.length > 1 ? args : nameOf(session, args);
  if (names.length === 1) return remove(silencedCommands)(session, names);
  if (!(await confirm(session, `Are you sure you would like to delete ${names.length} silences?`)))
    return session.print('Canceled');
  const api = await session.api();
  for (const name of names) {
    await api.ask('DELETE', onePath(session, silencedCommands, [name]));
    session.print(`Deleted ${name}`);
  }
};

export const showSilence: Work = (session, args) => info(silencedCommands)(session, nameOf(session, args));

interface Told {
  readonly suppressed: number;
  readonly silence: Json;
}
interface Status {
  readonly silences: readonly (Told & { readonly phase: string; readonly covers: number })[];
  readonly ended: readonly (Told & { readonly why: string; readonly by: string; readonly at: number })[];
}

const ends: Readonly<Record<string, string>> = {
  timeOver: 'its time was over',
  resolved: 'its incident was resolved',
  cleared: 'deleted',
};

const silenceName = text('metadata.name');

export const silenceStatus: Work = async (session) => {
  const { namespace, format } = session.settings;
  const path = `/api/inspect/v1/namespaces/${encodeURIComponent(namespace)}/silences`;
  const status = JSON.parse((await (await session.api()).ask('GET', path)).text) as Status;
  if (format === 'yaml') return session.print((await import('yaml')).stringify(status).trimEnd());
  if (format !== 'tabular') return session.print(asJson(status));
  const rows = [
    ...status.silences.map(({ silence, phase, covers, suppressed }) => [
      silenceName(silence),
      phase,
      String(covers),
      String(suppressed),
      '',
    ]),
    ...status.ended.map(({ silence, why, by, at, suppressed }) => [
      silenceName(silence),
      'ended',
      '0',
      String(suppressed),
      `${timestamp(at)} ${ends[why] ?? why}${by === '' ? '' : ` by ${by}`}`,
    ]),
  ];
  session.print(table(['Name', 'State', 'Covers', 'Held back', 'Ended'], rows, session.look));
};

export const listSilences: Work = async (session) => {
  const subscription = word(session, 'subscription');
  const check = word(session, 'check');
  if (subscription === '' && check === '') return list(silencedCommands)(session);
  const everywhere = word(session, 'all-namespaces') === 'true';
  const path = listPath(kindOfPath('silenced'), everywhere ? undefined : session.settings.namespace);
  const found = (await fetchList(session, path)).filter(
    (silence) =>
      (subscription === '' || silence.subscription === subscription) &&
      (check === '' || silence.check === check),
  );
  await show(session, silencedCommands, found, false);
};
