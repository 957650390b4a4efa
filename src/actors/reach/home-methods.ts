// What is asked of the backend where something lives: reading it, and doing something to it.

import type { Entity } from '../../model/entity/entity.ts';
import type { AcknowledgementRequest } from '../../model/event/acknowledgement.ts';
import type { EventAddress, Incidents } from '../events/incidents.ts';
import type { ReadModel } from '../events/read-model.ts';
import type { EntityPut } from '../families/entity/entity-service.ts';
import type { Jobs, NewJob } from '../families/job/jobs.ts';

export interface Name {
  readonly namespace: string;
  readonly name: string;
}

export interface HomePorts {
  readonly reader: Pick<ReadModel, 'event' | 'entity' | 'trace'>;
  readonly incidents: Incidents;
  readonly jobs: () => Jobs;
  readonly deleteEvent: (address: EventAddress) => Promise<boolean>;
  readonly putEntity: (entity: Entity, how: EntityPut) => Promise<Entity>;
  readonly deleteEntity: (namespace: string, name: string) => Promise<boolean>;
  readonly executeCheck: (
    namespace: string,
    check: string,
    subscriptions: readonly string[],
    attributes: Readonly<Record<string, unknown>>,
  ) => Promise<{ readonly issued: number; readonly warnings: readonly string[] }>;
}

/** Methods that change nothing: asking twice does no harm, so their answers are not kept. */
export const readMethods: ReadonlySet<string> = new Set([
  'event.read',
  'event.trace',
  'entity.read',
  'job.read',
]);

export const homeMethods = (ports: HomePorts) => {
  const { reader, incidents } = ports;
  return {
    'event.read': ({ namespace, entity, check }: EventAddress) => reader.event(namespace, entity, check),
    'event.trace': ({ namespace, entity, check }: EventAddress) => reader.trace(namespace, entity, check),
    'event.delete': (address: EventAddress) => ports.deleteEvent(address),
    'incident.acknowledge': ({
      address,
      by,
      request,
    }: {
      readonly address: EventAddress;
      readonly by: string;
      readonly request: AcknowledgementRequest;
    }) => incidents.acknowledge(address, by, request),
    'incident.release': (address: EventAddress) => incidents.release(address),
    'incident.note': ({
      address,
      by,
      text,
    }: {
      readonly address: EventAddress;
      readonly by: string;
      readonly text: string;
    }) => incidents.note(address, by, text),
    'entity.read': ({ namespace, name }: Name) => reader.entity(namespace, name),
    'entity.put': ({ entity, how }: { readonly entity: Entity; readonly how: EntityPut }) =>
      ports.putEntity(entity, how),
    'entity.delete': ({ namespace, name }: Name) => ports.deleteEntity(namespace, name),
    'check.execute': ({
      namespace,
      check,
      subscriptions,
      attributes,
    }: {
      readonly namespace: string;
      readonly check: string;
      readonly subscriptions: readonly string[];
      readonly attributes: Readonly<Record<string, unknown>>;
    }) => ports.executeCheck(namespace, check, subscriptions, attributes),
    'job.submit': ({
      namespace,
      id,
      job,
    }: {
      readonly namespace: string;
      readonly id: string;
      readonly job: NewJob;
    }) => ports.jobs().submit(namespace, job, id),
    'job.read': async ({ namespace, name }: Name) => ports.jobs().get(namespace, name),
    'job.cancel': ({ namespace, name, by }: Name & { readonly by: string }) =>
      ports.jobs().cancel(namespace, name, by),
  };
};

export type HomeMethods = ReturnType<typeof homeMethods>;
