// What is announced when an entity leaves: its incidents are resolved, and its deregistration handler is called.
// None of these events is stored.
import { checkSchema } from '../../../model/check/check.ts';
import type { Entity } from '../../../model/entity/entity.ts';
import type { CheckEvent, Event } from '../../../model/event/event.ts';

const seconds = (nowMs: number): number => Math.floor(nowMs / 1000);

export const resolvedByDeregistering = (event: CheckEvent): Event => ({
  ...event,
  check: { ...event.check, output: 'Resolving due to entity deregistering', status: 0, history: [] },
});

const namespaced = ({ metadata: { namespace } }: Entity): { namespace?: string } =>
  namespace === undefined || namespace === '' ? {} : { namespace };

export const deregistrationEvent = (entity: Entity, handler: string, nowMs: number, id: string): Event => ({
  timestamp: seconds(nowMs),
  entity,
  check: checkSchema.parse({
    metadata: {
      name: 'deregistration',
      ...namespaced(entity),
    },
    interval: 1,
    status: 1,
    handlers: [handler],
  }),
  metadata: namespaced(entity),
  id,
  sequence: 0,
  pipelines: [],
});
