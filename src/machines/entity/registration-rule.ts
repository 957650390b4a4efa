// Registration: whose word counts about an agent's configuration, the stored one's or the keepalive's.
import { type Entity, type EntityConfig, withOwnSubscription } from '../../model/entity/entity.ts';
import { managedByAgentLabels } from '../../model/entity/reserved-labels.ts';
import type { CheckEvent } from '../../model/event/event.ts';

export const isManagedByAgent = (entity: EntityConfig): boolean =>
  Object.entries(managedByAgentLabels).some(([label, agent]) => entity.metadata.labels?.[label] === agent);

/** What an agent is sent of its configuration: the label is the backend's own affair. */
export const withoutManagedLabel = <T extends EntityConfig>(config: T): T => {
  const { labels } = config.metadata;
  if (labels === null || labels === undefined || !isManagedByAgent(config)) return config;
  const kept = Object.entries(labels).filter(([label, value]) => managedByAgentLabels[label] !== value);
  return { ...config, metadata: { ...config.metadata, labels: Object.fromEntries(kept) } };
};

/** register: nothing is stored. adopt: the agent's word replaces the stored one. keep: the stored one counts. */
export type Registration =
  | { readonly type: 'register' }
  | { readonly type: 'adopt'; readonly why: 'managedByAgent' | 'noLongerManaged' }
  | { readonly type: 'keep'; readonly why: 'alreadyAdopted' | 'storedWins' };

/** The first keepalive of an agent process has sequence 1: only then an agent-managed configuration is taken over. */
export const decideRegistration = (stored: EntityConfig | null, keepalive: CheckEvent): Registration => {
  if (stored === null) return { type: 'register' };
  if (isManagedByAgent(keepalive.entity)) {
    return keepalive.sequence === 1
      ? { type: 'adopt', why: 'managedByAgent' }
      : { type: 'keep', why: 'alreadyAdopted' };
  }
  return isManagedByAgent(stored)
    ? { type: 'adopt', why: 'noLongerManaged' }
    : { type: 'keep', why: 'storedWins' };
};

/** What is known about an entity after a keepalive: facts from the agent, configuration from whom it belongs to. */
export const heardEntity = (
  stored: Entity,
  keepalive: CheckEvent,
  how: Registration,
  nowMs: number,
): Entity => {
  const { entity: sent, timestamp } = keepalive;
  const config = how.type === 'keep' ? stored : withOwnSubscription(sent);
  return {
    ...config,
    // An entity with an agent is an agent, or nobody would notice its silence.
    entity_class: sent.entity_class,
    metadata: { ...config.metadata, ...placeOf(stored) },
    system: sent.system,
    last_seen: timestamp > 0 ? timestamp : Math.floor(nowMs / 1000),
    mon_agent_version: sent.mon_agent_version,
  };
};

const placeOf = ({ metadata: { name, namespace } }: Entity): { name: string; namespace?: string } =>
  namespace === undefined ? { name } : { name, namespace };

/** An operator's configuration over what the agent reported. */
export const configuredEntity = (stored: Entity, config: EntityConfig): Entity => {
  const { system, last_seen, mon_agent_version } = stored;
  return withOwnSubscription({
    ...config,
    metadata: { ...config.metadata, ...placeOf(stored) },
    system,
    last_seen,
    mon_agent_version,
  });
};

export const configOf = (entity: Entity): EntityConfig => {
  const { system: _system, last_seen: _lastSeen, mon_agent_version: _version, ...config } = entity;
  return config;
};
