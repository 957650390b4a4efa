// Entities: the monitored machines and things (interface section 2.6). An entity has a configuration half, set by
// operators, and a state half, reported by the agent. This file validates types only; the rules are in
// `entity-rules.ts`.
import { z } from 'zod';
import { maxSystemItems } from './limits.ts';
import { metadataSchema } from './metadata.ts';
import { flag, integer, list, optionalStringList, stringList, text } from './quick-types.ts';

export const networkInterfaceSchema = z.object({
  name: text().optional(),
  mac: text().optional(),
  addresses: stringList(maxSystemItems),
});

export const systemSchema = z.object({
  hostname: text().optional(),
  os: text().optional(),
  platform: text().optional(),
  platform_family: text().optional(),
  platform_version: text().optional(),
  arch: text().optional(),
  arm_version: integer().optional(),
  float_type: text().optional(),
  network: z
    .object({ interfaces: list(networkInterfaceSchema, maxSystemItems).nullable().default(null) })
    .default({ interfaces: null }),
  libc_type: text(''),
  vm_system: text(''),
  vm_role: text(''),
  cloud_provider: text(''),
  processes: list(z.looseObject({ name: text('') }), maxSystemItems)
    .nullable()
    .default(null),
});
export type System = z.infer<typeof systemSchema>;

/** The state half of a new proxy entity, which has not reported anything. */
export const emptySystem = (): System => ({
  network: { interfaces: null },
  libc_type: '',
  vm_system: '',
  vm_role: '',
  cloud_provider: '',
  processes: null,
});

export const defaultEntityClass = 'proxy';

const configFields = {
  metadata: metadataSchema.default({ name: '' }),
  entity_class: text(defaultEntityClass).describe('agent, proxy, or a class of your own.'),
  user: text().optional().describe('User that the agent logged in as.'),
  subscriptions: stringList().describe('Checks of these subscriptions run here.'),
  deregister: flag(false).describe('Whether it is deleted when its agent goes.'),
  deregistration: z
    .object({ handler: text().optional() })
    .default({})
    .describe('Handler of the event that tells of that.'),
  keepalive_handlers: optionalStringList().describe('Names of handlers of its keepalive events.'),
  redact: optionalStringList().describe('Names of labels and annotations whose values nobody sees.'),
};

/** The fields an operator may set; also the payload of the `entity_config` frame. */
export const entityConfigSchema = z.object(configFields);
export type EntityConfig = z.infer<typeof entityConfigSchema>;

const reportedSchema = z.object({
  ...configFields,
  system: systemSchema.default(emptySystem).describe('What its agent says of the machine.'),
  last_seen: integer(0).meta({
    description: 'When its agent was heard last.',
    'x-unit': 'seconds since 1970',
  }),
  mon_agent_version: text('').describe('Version of its agent.'),
  /** The same field as sent by agents of the reference product. Read, but never stored. */
  sensu_agent_version: text().optional(),
});

type Reported = z.infer<typeof reportedSchema>;
export type Entity = Omit<Reported, 'sensu_agent_version'>;

const withOneVersion = (reported: Reported): Entity => {
  const { sensu_agent_version: theirs, ...entity } = reported;
  if (entity.mon_agent_version === '' && theirs !== undefined) entity.mon_agent_version = theirs;
  return entity;
};

/** Accepts the agent version under either name. An empty class is read as `proxy`. */
export const entitySchema = reportedSchema.transform((reported): Entity => {
  const entity = reported.sensu_agent_version === undefined ? reported : withOneVersion(reported);
  if (entity.entity_class === '') entity.entity_class = defaultEntityClass;
  return entity;
});
