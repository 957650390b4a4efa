// What only events have: resolving one by hand.
import type { Json } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { eventCommands } from '../kinds/watching.ts';
import { list, onePath, read } from './resources.ts';

export const listEvents: Work = async (session) =>
  session.given.watch === 'true'
    ? (await import('./watch-events.ts')).watchEvents(session)
    : list(eventCommands)(session);

/** Seconds since the epoch. */
const now = (): number => Math.floor(Date.now() / 1000);

export const resolveEvent: Work = async (session, name) => {
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
