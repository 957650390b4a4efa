// Serialization of resources for responses. Mandatory keys are always present, empty optional keys are removed, and
// an entity has its agent's version under both names.
import { type Check, checkSchema } from '../check/check.ts';
import type { Entity } from '../entity/entity.ts';
import { keysOmittedWhenEmpty } from '../schema/wire-forms.ts';
import type { Event } from './event.ts';
import { withoutDigits } from './exact-timestamps.ts';

const isEmpty = (value: unknown): boolean => {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return true;
  if (typeof value !== 'object') return false;
  for (const _ in value) return false;
  return true;
};

type Json = Record<string, unknown>;

/** A copy without the listed keys if they are empty. Keys with the value `undefined` are always removed. */
export const withoutEmpty = (resource: object, optionalKeys: ReadonlySet<string>): Json => {
  const shape: Json = {};
  for (const key in resource) {
    const value = (resource as Json)[key];
    if (value === undefined || (optionalKeys.has(key) && isEmpty(value))) continue;
    shape[key] = value;
  }
  return shape;
};

const metadataKeys: ReadonlySet<string> = new Set([
  'name',
  'namespace',
  'labels',
  'annotations',
  'created_by',
]);

export const toWireMetadata = (metadata: object): Json => withoutEmpty(metadata, metadataKeys);

const checkKeys = keysOmittedWhenEmpty(checkSchema.shape);

/** A check definition, or the check scope of an event. */
export const toWireCheck = (check: { readonly metadata: object }): Json => {
  const shape = withoutEmpty(check, checkKeys);
  shape.metadata = toWireMetadata(check.metadata);
  return shape;
};

const entityKeys: ReadonlySet<string> = new Set(['user', 'redact', 'keepalive_handlers']);
const deregistrationKeys: ReadonlySet<string> = new Set(['handler']);
const systemKeys: ReadonlySet<string> = new Set([
  'hostname',
  'os',
  'platform',
  'platform_family',
  'platform_version',
  'arch',
  'arm_version',
  'float_type',
]);

/** The configuration half of an entity. */
export const toWireEntityConfig = (config: {
  readonly metadata: object;
  readonly deregistration: object;
}): Json => {
  const shape = withoutEmpty(config, entityKeys);
  shape.deregistration = withoutEmpty(config.deregistration, deregistrationKeys);
  shape.metadata = toWireMetadata(config.metadata);
  return shape;
};

/** Not redacted; see `redaction.ts` for responses to users. */
export const toWireEntity = (entity: Entity): Json => {
  const shape = toWireEntityConfig(entity);
  shape.system = withoutEmpty(entity.system, systemKeys);
  shape.sensu_agent_version = entity.mon_agent_version;
  return shape;
};

/** An event as returned, handled and sent. The entity is not redacted. */
export const toWireEvent = (event: Event): Json => {
  const shape: Json = event.timestamp === 0 ? {} : { timestamp: event.timestamp };
  shape.entity = toWireEntity(event.entity);
  if (event.check !== undefined) shape.check = toWireCheck(event.check as Check);
  if (event.metrics !== undefined) {
    const { handlers, points } = event.metrics;
    shape.metrics = { handlers: handlers ?? null, points: points == null ? null : withoutDigits(points) };
  }
  shape.metadata = toWireMetadata(event.metadata);
  shape.id = event.id;
  shape.sequence = event.sequence;
  shape.pipelines = event.pipelines;
  return shape;
};
