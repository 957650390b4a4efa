// Dependencies: what an event depends on, and what masks it. A target is the check of an entity; while it is down, events that
// depend on it are masked, so that one incident is told and not all that follow from it. Pure.
import type { CheckEvent } from '../event/event.ts';
import { maxDependencies } from '../limits.ts';
import type { Metadata } from '../resource/metadata.ts';
import { keepaliveCheckName, nameFault } from '../resource/names.ts';

/** The label or annotation that names the targets of an entity, or of a check whose agent drops the field. */
const dependsOnKey = 'mon.io/depends_on';

const entityPrefix = 'entity:';
const forms =
  'use CHECK for a check of the same entity, ENTITY/CHECK, or entity:NAME for the keepalive of an entity';

/** `router-1/ping`: what a target stands for, seen from an entity. Null: it is no target. */
export const readTarget = (entity: string, target: string): string | null => {
  if (target.startsWith(entityPrefix)) {
    const name = target.slice(entityPrefix.length);
    return nameFault('', name) === null ? `${name}/${keepaliveCheckName}` : null;
  }
  const slash = target.indexOf('/');
  const [on, check] = slash < 0 ? [entity, target] : [target.slice(0, slash), target.slice(slash + 1)];
  return nameFault('', on) === null && nameFault('', check) === null ? `${on}/${check}` : null;
};

/** Why `depends_on` of a check is invalid, or null. */
export const dependsOnFault = (targets: readonly string[] | null | undefined): string | null => {
  if (!targets) return null;
  if (targets.length > maxDependencies)
    return `depends_on must name at most ${maxDependencies} targets, not ${targets.length}: remove some`;
  const wrong = targets.find((target) => readTarget('x', target) === null);
  return wrong === undefined ? null : `depends_on: ${JSON.stringify(wrong)} is not a target: ${forms}`;
};

const separators = /[\s,]+/;

/** The targets that labels or annotations name, as written. */
export const metadataTargets = ({
  labels,
  annotations,
}: Pick<Metadata, 'labels' | 'annotations'>): readonly string[] => {
  const written = labels?.[dependsOnKey] ?? annotations?.[dependsOnKey];
  return written === undefined ? none : written.split(separators).filter((target) => target !== '');
};

/** Why the targets that labels or annotations name are invalid, or null. */
export const metadataTargetsFault = (metadata: Metadata): string | null => {
  const fault = dependsOnFault(metadataTargets(metadata));
  return fault === null ? null : fault.replace(/^depends_on/, `the label or annotation ${dependsOnKey}`);
};

const none: readonly string[] = [];

/**
 * What an event depends on, by itself or through its entity: `entity/check` in its own namespace, without itself. At most
 * `maxDependencies` of the check and as many of the entity; what is no target is left out.
 */
export const targetsOf = ({ entity, check }: CheckEvent): readonly string[] => {
  const fields = check.depends_on ?? none;
  const ofCheck = metadataTargets(check.metadata);
  const ofEntity = metadataTargets(entity.metadata);
  if (fields.length + ofCheck.length + ofEntity.length === 0) return none;
  const { name } = entity.metadata;
  const own = `${name}/${check.metadata.name}`;
  const found = new Set<string>();
  const written = [
    ...[...fields, ...ofCheck].slice(0, maxDependencies),
    ...ofEntity.slice(0, maxDependencies),
  ];
  for (const target of written) {
    const read = readTarget(name, target);
    if (read !== null && read !== own) found.add(read);
  }
  return [...found];
};

/**
 * Whether a check in this state masks what depends on it. A warning does not: what depends on it works as a rule. A keepalive
 * that fails does, whatever its status, since nothing is heard of the entity.
 */
export const isDown = ({ metadata, status }: CheckEvent['check']): boolean =>
  metadata.name === keepaliveCheckName ? status !== 0 : status >= 2;
