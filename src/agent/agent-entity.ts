// The agent's own entity: initially the local configuration. After the first registration the entity stored by the
// backend takes precedence, unless the agent manages its entity itself.
import type { Entity, System } from '../model/entity/entity.ts';
import { managedByAgentLabels } from '../model/entity/reserved-labels.ts';
import { entitySubscription } from '../model/resource/names.ts';
import { redacted, redactMap, redactSet } from '../model/resource/redaction.ts';
import { tokenData } from '../model/template/token-substitution.ts';
import { type IsTrusted, sameAs } from '../model/template/token-trust.ts';
import { version } from '../program/version.ts';
import { type EntityConfigMessage, unknownEntityName } from '../wire/messages.ts';
import type { AgentConfig } from './flags.ts';

/** A local setting that differs from the stored entity, with both values. */
export interface Difference {
  readonly field: string;
  /** The flag without effect. */
  readonly flag: string;
  readonly local: unknown;
  readonly stored: unknown;
}

type Adoption =
  | { readonly adopted: true; readonly differs: readonly Difference[] }
  | { readonly adopted: false; readonly why: 'agentManaged' | 'notRegistered' | 'otherName' };

export interface AgentEntity {
  /** The current entity, not redacted. */
  current(nowSeconds: number): Entity;
  /** Which values may be inserted into a command; undefined means all. Values of this machine are always trusted. */
  trust(nowSeconds: number): IsTrusted | undefined;
  /** Applies the stored entity; returns the fields that differ from the local settings. */
  adopt(config: EntityConfigMessage): Adoption;
  /** A new session: use the local settings until the backend sends the entity. */
  forget(): void;
  setSystem(system: System): void;
}

type Config = Omit<Entity, 'system' | 'last_seen' | 'mon_agent_version'>;

const localConfig = (config: AgentConfig): Config => ({
  metadata: {
    name: config.name,
    namespace: config.namespace,
    labels: { ...config.labels, ...(config.agentManagedEntity ? managedByAgentLabels : {}) },
    annotations: { ...config.annotations },
    ...(config.agentManagedEntity ? { created_by: config.user } : {}),
  },
  entity_class: 'agent',
  user: config.user,
  subscriptions: [...config.subscriptions],
  deregister: config.deregister,
  deregistration: config.deregistrationHandler === '' ? {} : { handler: config.deregistrationHandler },
  keepalive_handlers: [...config.keepaliveHandlers],
  redact: [...config.redact],
});

type Map = Readonly<Record<string, string>>;

/** The backend may return redacted values; tokens need the real ones, which are known locally. */
const withOwnSecrets = (
  stored: Map | null | undefined,
  own: Map | null | undefined,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(stored ?? {}).map(([key, value]) => [
      key,
      value === redacted && own != null && Object.hasOwn(own, key) ? (own[key] ?? value) : value,
    ]),
  );

const sorted = (value: unknown): string =>
  JSON.stringify(
    value != null && typeof value === 'object' && !Array.isArray(value)
      ? Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
      : Array.isArray(value)
        ? [...value].sort()
        : (value ?? null),
  );

/** Redacts the values of the listed keys. */
const shown = (value: unknown, redact: readonly string[]): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? redactMap(value as Record<string, string>, redactSet(redact))
    : value;

/** `sent`: as received. Keepalive handlers that the backend omits are empty, regardless of local settings. */
const differences = (local: Config, stored: Config, sent: EntityConfigMessage): Difference[] => {
  const own = stored.subscriptions.filter((name) => name !== entitySubscription(local.metadata.name));
  const rows: readonly (readonly [field: string, flag: string, local: unknown, stored: unknown])[] = [
    ['labels', 'labels', local.metadata.labels ?? {}, stored.metadata.labels ?? {}],
    ['annotations', 'annotations', local.metadata.annotations ?? {}, stored.metadata.annotations ?? {}],
    ['subscriptions', 'subscriptions', local.subscriptions, own],
    ['user', 'user', local.user ?? '', stored.user ?? ''],
    ['deregister', 'deregister', local.deregister, stored.deregister],
    [
      'deregistration',
      'deregistration-handler',
      local.deregistration.handler ?? '',
      stored.deregistration.handler ?? '',
    ],
    [
      'keepalive_handlers',
      'keepalive-handlers',
      local.keepalive_handlers ?? [],
      sent.keepalive_handlers ?? [],
    ],
    ['redact', 'redact', local.redact ?? [], stored.redact ?? []],
  ];
  return rows
    .filter(([, , mine, theirs]) => sorted(mine) !== sorted(theirs))
    .map(([field, flag, mine, theirs]) => ({
      field,
      flag: `--${flag}`,
      local: shown(mine, local.redact ?? []),
      stored: shown(theirs, local.redact ?? []),
    }));
};

export const createAgentEntity = (config: AgentConfig, system: System): AgentEntity => {
  const local = localConfig(config);
  let effective = local;
  let isVouched = true;
  let facts = system;

  const merge = ({ unvouched: _unvouched, ...stored }: EntityConfigMessage): Config => ({
    ...local,
    ...stored,
    entity_class: 'agent',
    user: stored.user ?? config.user,
    redact: stored.redact ?? local.redact,
    metadata: {
      ...stored.metadata,
      namespace: stored.metadata.namespace ?? config.namespace,
      labels: withOwnSecrets(stored.metadata.labels, local.metadata.labels),
      annotations: withOwnSecrets(stored.metadata.annotations, local.metadata.annotations),
    },
  });

  const whole = (half: Config, nowSeconds: number): Entity => ({
    ...half,
    system: facts,
    last_seen: nowSeconds,
    mon_agent_version: version,
  });

  return {
    current: (nowSeconds) => whole(effective, nowSeconds),
    trust: (nowSeconds) => (isVouched ? undefined : sameAs(tokenData(whole(local, nowSeconds)))),
    adopt: (stored) => {
      if (config.agentManagedEntity) return { adopted: false, why: 'agentManaged' };
      if (stored.metadata.name === unknownEntityName) return { adopted: false, why: 'notRegistered' };
      if (stored.metadata.name !== config.name) return { adopted: false, why: 'otherName' };
      effective = merge(stored);
      isVouched = stored.unvouched !== true;
      return { adopted: true, differs: differences(local, effective, stored) };
    },
    forget: () => {
      effective = local;
      isVouched = true;
    },
    setSystem: (next) => {
      facts = next;
    },
  };
};
