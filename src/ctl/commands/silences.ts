// Silences: named after what they silence, by a name or by --subscription and --check.
import type { Json } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { kindOfPath, listPath } from '../kinds/addresses.ts';
import { eventCommands, silencedCommands } from '../kinds/watching.ts';
import { ask } from '../prompt.ts';
import type { Session } from '../session.ts';
import { readBegin } from '../settings/begin.ts';
import { create, fetchList, info, list, remove, show, update } from './resources.ts';

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

const withTarget = (session: Session, subscription: string, check: string, reason: string) => ({
  ...silencedCommands,
  complete: (silence: Json) => {
    const begin = word(session, 'begin');
    delete silence.metadata;
    Object.assign(silence, {
      metadata: { namespace: session.settings.namespace },
      ...(subscription === '' ? {} : { subscription }),
      ...(check === '' ? {} : { check }),
      reason,
      ...(begin === '' || begin === '0' ? {} : { begin: readBegin(begin, new Date()) }),
    });
  },
});

/** Which events a silence of now would cover, by the rule that the backend uses. */
const tryCreate = async (session: Session, subscription: string, check: string): Promise<void> => {
  const { silencedBy } = await import('../../model/silencing.ts');
  const path = listPath(kindOfPath('events'), session.settings.namespace);
  const entry = { metadata: { name: 'dry-run' }, subscription, check, begin: 0, expire_at: 0 };
  const covered = (await fetchList(session, path)).filter(
    (event) => silencedBy(event as never, [entry as never], 1).length > 0,
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
  let subscription = word(session, 'subscription');
  let check = word(session, 'check');
  let reason = word(session, 'reason');
  if (interactive) {
    subscription ||= await ask(session, 'Subscription');
    check ||= await ask(session, 'Check');
    reason ||= await ask(session, 'Reason');
  }
  if (subscription === '' && check === '') throw new CtlError('must specify --check or --subscription');
  if (word(session, 'dry-run') === 'true') return tryCreate(session, subscription, check);
  if (reason === '') throw new CtlError('must specify --reason');
  await create(withTarget(session, subscription, check, reason))(session, ['']);
};

export const updateSilence: Work = (session, args) =>
  update(silencedCommands)(session, nameOf(session, args));
export const deleteSilence: Work = (session, args) =>
  remove(silencedCommands)(session, nameOf(session, args));
export const showSilence: Work = (session, args) => info(silencedCommands)(session, nameOf(session, args));

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
