// Handlers: destinations for events, and sets of them.
import { z } from 'zod';
import { secretReferenceSchema } from '../check/check.ts';
import { metadataSchema } from '../resource/metadata.ts';
import { nameFault, namespaceFault } from '../resource/names.ts';
import {
  flag,
  list,
  listOrNull,
  stringListOrNull,
  text,
  unsigned,
  unsigned32,
} from '../schema/quick-types.ts';

const handlerTypes = ['pipe', 'tcp', 'udp', 'set'] as const;
export type HandlerType = (typeof handlerTypes)[number];
/** A set only names other handlers. */
export type RunnableType = Exclude<HandlerType, 'set'>;

const isHandlerType = (type: string): type is HandlerType =>
  (handlerTypes as readonly string[]).includes(type);

export const isRunnableType = (type: string): type is RunnableType => type !== 'set' && isHandlerType(type);

const handlerSeverities = ['ok', 'warning', 'critical', 'unknown'] as const;

export const handlerSchema = z.object({
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  type: text('').meta({ description: 'How events are handed over.', 'x-allowed': handlerTypes }),
  mutator: text().optional().describe('Mutator that events pass first.'),
  command: text()
    .optional()
    .describe('Command line of a pipe handler; it reads the event as JSON on standard input.'),
  /** Seconds; 0 means the runner's default. */
  timeout: unsigned32(0).meta({
    description: 'Time after which it is stopped; 0: no limit for commands, 60 for sockets.',
    'x-unit': 'seconds',
  }),
  socket: z
    .object({
      host: text().optional().describe('Host name or address.'),
      port: unsigned(0).describe('Port.'),
    })
    .nullish()
    .describe('Where a tcp or udp handler sends events.'),
  handlers: stringListOrNull().describe('Names of the handlers of a set.'),
  filters: stringListOrNull().describe('Names of filters; events that one of them denies are not handled.'),
  env_vars: stringListOrNull().describe('Variables of the command, each as NAME=value.'),
  runtime_assets: stringListOrNull().describe('Names of assets that the command runs with.'),
  secrets: listOrNull(secretReferenceSchema).describe('Secrets that the command gets as variables.'),
  /** For events of earlier clients: whether to handle silenced or flapping events, and which severities. */
  handle_silenced: flag()
    .optional()
    .describe('Of clients of the earlier generation: whether silenced events are handled.'),
  handle_masked: flag()
    .optional()
    .describe('Whether it is told of failures that follow from a dependency that is down, too.'),
  handle_flapping: flag()
    .optional()
    .describe('Of clients of the earlier generation: whether flapping events are handled.'),
  severities: list(z.enum(handlerSeverities))
    .optional()
    .describe('Of clients of the earlier generation: only events of these severities are handled.'),
});
export type Handler = z.infer<typeof handlerSchema>;

const maxPort = 65_535;

const socketFault = ({ socket }: Handler): string | null => {
  if (!socket) return 'tcp and udp handlers need a valid socket';
  if (!socket.host) return 'socket host undefined';
  if (socket.port === 0) return 'socket port undefined';
  return socket.port > maxPort ? `socket port must be at most ${maxPort} (got ${socket.port})` : null;
};

/** The rules of each type: what is wrong with a handler of it, or null. */
const typeRules: Readonly<Record<HandlerType, (handler: Handler) => string | null>> = {
  pipe: ({ command }: Handler) => (command?.trim() ? null : 'missing command'),
  tcp: socketFault,
  udp: socketFault,
  set: () => null,
};

const typeFault = (handler: Handler): string | null => {
  const { type } = handler;
  if (isHandlerType(type)) return typeRules[type](handler);
  const use = `(use one of ${handlerTypes.join(', ')})`;
  return type === '' ? `empty handler type ${use}` : `unknown handler type: ${type} ${use}`;
};

export const validateHandler = (handler: Handler): string | null =>
  nameFault('handler name', handler.metadata.name) ??
  typeFault(handler) ??
  namespaceFault(handler.metadata.namespace);
