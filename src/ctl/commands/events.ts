// What only events have: resolving one by hand, acknowledging its incident, notes.
import type { Json } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { eventCommands } from '../kinds/watching.ts';
import type { Session } from '../session.ts';
import { secondsOf } from '../settings/seconds.ts';
import { list, onePath, read } from './resources.ts';

export const listEvents: Work = async (session) =>
  session.given.watch === 'true'
    ? (await import('./watch-events.ts')).watchEvents(session)
    : list(eventCommands)(session);

/** Seconds since the epoch. */
const now = (): number => Math.floor(Date.now() / 1000);

export const resolveEvent: Work = async (session, name) => {
  if (session.given.all === 'true') {
    if (name.length > 0) throw new CtlError('give an entity and a check, or --all with selectors, not both');
    return (await import('./jobs.ts')).runJob(session, 'resolve');
  }
  if (name.length < 2) throw new CtlError('give an entity and a check, or --all');
  const event = await read(session, eventCommands, name);
  const check = event.check as Json | undefined;
  if (check === undefined) throw new CtlError('this event has no check, so there is nothing to resolve');
  const { id: _id, ...rest } = event;
  const body = {
    ...rest,
    timestamp: now(),
    check: { ...check, status: 0, output: 'Resolved manually by mon-ctl', executed: now() },
  };
  await (await session.api()).ask('PUT', onePath(session, eventCommands, name), { body });
  session.print('Resolved');
};

const word = ({ given }: Session, flag: string): string => {
  const value = given[flag];
  return typeof value === 'string' ? value : '';
};

const incident = (session: Session, name: readonly string[], part: string): string =>
  `${onePath(session, eventCommands, name)}/${part}`;

export const acknowledgeEvent: Work = async (session, name) => {
  const remind = word(session, 'remind-every');
  const body = {
    comment: word(session, 'comment'),
    owner: word(session, 'owner'),
    ...(remind === '' ? {} : { remind_every: secondsOf('--remind-every', remind) }),
  };
  const api = await session.api();
  const { text } = await api.ask('PUT', incident(session, name, 'acknowledgement'), { body });
  const { owner } = JSON.parse(text) as { readonly owner: string };
  session.print(`Acknowledged by ${owner}`);
};

export const releaseEvent: Work = async (session, name) => {
  await (await session.api()).ask('DELETE', incident(session, name, 'acknowledgement'));
  session.print('Acknowledgement withdrawn');
};

export const noteEvent: Work = async (session, [entity = '', check = '', ...words]) => {
  const body = { text: words.join(' ') };
  await (await session.api()).ask('POST', incident(session, [entity, check], 'notes'), { body });
  session.print('Noted');
};
