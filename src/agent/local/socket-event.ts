// Converts a check result in the format of the earlier generation to an event of this agent. Unknown attributes are ignored.
import { z } from 'zod';
import type { Event } from '../../model/event/event.ts';
import { decode } from '../../model/schema/decode.ts';
import { optionalStringList } from '../../model/schema/quick-types.ts';
import { no, type Stage } from '../../program/stage.ts';
import { type LocalFacts, prepareEvent } from './local-event.ts';

const seconds = z.number().int().min(0).nullish();

const socketEventSchema = z.object({
  name: z.string().default(''),
  output: z.string().default(''),
  status: z.number().int().min(0),
  /** The name of an entity other than the agent's own. */
  client: z.string().default(''),
  command: z.string().nullish(),
  interval: seconds,
  executed: seconds,
  duration: z.number().nullish(),
  handlers: optionalStringList(),
});
type SocketEvent = z.infer<typeof socketEventSchema>;

const proxyOf = ({ client }: SocketEvent, agentName: string): string => (client === agentName ? '' : client);

const checkOf = (event: SocketEvent, facts: LocalFacts): object => ({
  metadata: { name: event.name, namespace: facts.namespace },
  output: event.output,
  status: event.status,
  proxy_entity_name: proxyOf(event, facts.agentName),
  interval: event.interval ?? 1,
  handlers: event.handlers ?? [],
  ...(event.command == null ? {} : { command: event.command }),
  ...(event.executed == null ? {} : { executed: event.executed }),
  ...(event.duration == null ? {} : { duration: event.duration }),
});

/** The event for a parsed socket message, or why it is invalid. */
export const socketEvent = (raw: unknown, facts: LocalFacts): Stage<Event> => {
  const decoded = decode(socketEventSchema, raw, 'result');
  if (!decoded.ok) return no(decoded.message);
  if (decoded.value.name === '') return no('a check name must be provided');
  if (decoded.value.output === '') return no('a check output must be provided');
  return prepareEvent({ check: checkOf(decoded.value, facts) }, facts);
};
