// Entities: the monitored machines and things. An entity has a configuration half, set by
// operators, and a state half, reported by the agent. This file validates types only; the rules are in
// `entity-rules.ts`.
import { z } from 'zod';
import { maxSystemItems } from '../limits.ts';
import { metadataSchema } from '../resource/metadata.ts';
import { entitySubscription } from '../resource/names.ts';
import { flag, integer, list, optionalStringList, stringList, text } from '../schema/quick-types.ts';

const networkInterfaceSchema = z.object({
  name: text().optional().describe('Name of the interface.'),
  mac: text().optional().describe('Its hardware address.'),
  addresses: stringList(maxSystemItems).describe('Its addresses with prefix length.'),
});

export const systemSchema = z.object({
  hostname: text().optional().describe('Host name.'),
  os: text().optional().describe('Operating system, e.g. linux.'),
  platform: text().optional().describe('Distribution, e.g. debian.'),
  platform_family: text().optional().describe('Family of the distribution.'),
  platform_version: text().optional().describe('Version of the distribution.'),
  arch: text().optional().describe('Processor architecture, e.g. amd64.'),
  arm_version: integer().optional().describe('Version of the ARM architecture.'),
  float_type: text().optional().describe('hard or soft, on ARM.'),
  network: z
    .object({
      interfaces: list(networkInterfaceSchema, maxSystemItems)
        .nullable()
        .default(null)
        .describe('Network interfaces.'),
    })
    .default({ interfaces: null })
    .describe('Network of the machine.'),
  libc_type: text('').describe('C library, e.g. glibc.'),
  vm_system: text('').describe('Virtualization, e.g. kvm.'),
  vm_role: text('').describe('host or guest.'),
  cloud_provider: text('').describe('Cloud provider, with --detect-cloud-provider.'),
  processes: list(z.looseObject({ name: text('').describe('Name of the program.') }), maxSystemItems)
    .nullable()
    .default(null)
    .describe('Running programs, if the agent reports them.'),
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

const defaultEntityClass = 'proxy';

const configFields = {
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  entity_class: text(defaultEntityClass).describe('agent, proxy, or a class of your own.'),
  user: text().optional().describe('User that the agent logged in as.'),
  subscriptions: stringList().describe('Checks of these subscriptions run here.'),
  deregister: flag(false).describe('Whether it is deleted when its agent goes.'),
  deregistration: z
    .object({ handler: text().optional().describe('Name of the handler.') })
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
  sensu_agent_version: text().optional().describe('Version of an agent of the reference product.'),
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

/** Every entity has a subscription of its own, which matches no other entity. */
export const withOwnSubscription = <T extends EntityConfig>(entity: T): T => {
  const own = entitySubscription(entity.metadata.name);
  if (entity.subscriptions.includes(own)) return entity;
  return { ...entity, subscriptions: [...entity.subscriptions, own] };
};

/** An entity that nothing is known of except its name. */
export const blankEntity = (namespace: string, name: string, entityClass: string): Entity => ({
  metadata: { name, namespace },
  entity_class: entityClass,
  subscriptions: [],
  deregister: false,
  deregistration: {},
  system: emptySystem(),
  last_seen: 0,
  mon_agent_version: '',
});
