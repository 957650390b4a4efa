// A backend without actors: it keeps events and entities in maps, and does what the test tells it.

import { Incidents } from '../../src/actors/events/incidents.ts';
import type { SilenceOverview } from '../../src/actors/families/silence/silence-overview.ts';
import { openResources } from '../../src/actors/resources/open-resources.ts';
import type { Resource, ResourceTable } from '../../src/actors/resources/resource-table.ts';
import type { Outcome, Receipt } from '../../src/actors/runtime/contract.ts';
import type { AgentSession, BackendPort, HealthReport, SessionInfo } from '../../src/http/backend-port.ts';
import type { CheckContext } from '../../src/machines/check/check-facts.ts';
import { decideCheck } from '../../src/machines/check/check-step-rule.ts';
import type { Entity } from '../../src/model/entity/entity.ts';
import { alreadyExists, MonError } from '../../src/model/errors.ts';
import { type CheckEvent, type Event, hasCheck } from '../../src/model/event/event.ts';
import type { Silenced } from '../../src/model/silence/silenced.ts';
import { coveredBy } from '../../src/model/silence/silencing.ts';
import { MemoryCommitter } from './memory-committer.ts';

interface Query<T> {
  readonly namespace?: string;
  readonly entity?: string;
  readonly after?: string;
  readonly limit?: number;
  readonly filter?: (item: T) => boolean;
}

const page = <T>(map: ReadonlyMap<string, T>, prefix: string, query: Query<T>) => {
  const items: T[] = [];
  let next: string | undefined;
  for (const [key, item] of [...map].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (!key.startsWith(prefix) || (query.after !== undefined && key <= query.after)) continue;
    if (query.filter?.(item) === false) continue;
    if (items.length === query.limit) return { items, ...(next === undefined ? {} : { next }) };
    items.push(item);
    next = key;
  }
  return { items };
};

export class FakeBackend implements BackendPort {
  readonly events = new Map<string, CheckEvent>();
  readonly traces = new Map<string, unknown>();
  readonly entities = new Map<string, Entity>();
  readonly accepted: Event[] = [];
  readonly frames: { kind: string; event: Event; receipt: Receipt }[] = [];
  readonly sessions: { info: SessionInfo; closedWith?: string }[] = [];
  readonly executed: { namespace: string; check: string; subscriptions?: readonly string[] }[] = [];
  readonly resources: ResourceTable;
  readonly secret: Uint8Array;
  readonly committer: MemoryCommitter;
  ready = true;
  entityLimit = Number.POSITIVE_INFINITY;
  acceptError: Error | null = null;
  healthReport: () => Promise<HealthReport> = async () => ({
    members: [{ name: 'test', healthy: true, error: '' }],
  });
  /** What becomes of a frame; null keeps it open for the test to settle. */
  onFrame: (kind: string, event: Event) => Outcome | null = () => ({ type: 'done' });

  readonly #pressureListeners = new Set<(high: boolean) => void>();
  #high = false;
  readonly pressure: BackendPort['pressure'];

  static async create(committer = new MemoryCommitter()): Promise<FakeBackend> {
    const { table, secret } = await openResources({ committer });
    return new FakeBackend(table, secret, committer);
  }

  constructor(resources: ResourceTable, secret: Uint8Array, committer: MemoryCommitter) {
    this.resources = resources;
    this.secret = secret;
    this.committer = committer;
    const high = (): boolean => this.#high;
    const listeners = this.#pressureListeners;
    this.pressure = {
      get high() {
        return high();
      },
      onChange(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  setPressure(high: boolean): void {
    this.#high = high;
    for (const listener of this.#pressureListeners) listener(high);
  }

  async acceptEvent(event: Event): Promise<void> {
    if (this.acceptError) throw this.acceptError;
    this.accepted.push(event);
    if (!hasCheck(event)) return;
    const { namespace, name } = event.entity.metadata;
    this.events.set(`${namespace}/${name}/${event.check.metadata.name}`, event);
    if (!this.entities.has(`${namespace}/${name}`)) this.entities.set(`${namespace}/${name}`, event.entity);
  }

  acceptFrame(kind: 'event' | 'keepalive', event: Event, receipt: Receipt): void {
    this.frames.push({ kind, event, receipt });
    const outcome = this.onFrame(kind, event);
    if (outcome !== null) receipt(outcome);
  }

  async readEvents(query: Query<Event>) {
    const { namespace, entity } = query;
    const prefix =
      namespace === undefined ? '' : entity === undefined ? `${namespace}/` : `${namespace}/${entity}/`;
    return page(this.events, prefix, query);
  }
  /** Bulk jobs are tested on a real backend. */
  readonly jobs: BackendPort['jobs'] = {
    submit: () => Promise.reject(new MonError('invalid', 'no event matches: there is nothing to do')),
    get: () => undefined,
    list: () => [],
    cancel: () => Promise.reject(new MonError('notFound')),
  };
  async silences(): Promise<SilenceOverview> {
    return { silences: [], ended: [] };
  }
  clearSilence(
    { namespace, name }: { readonly namespace: string; readonly name: string },
    _by: string,
    check?: (current: Resource) => void,
  ): Promise<boolean> {
    return this.resources.delete({ segment: 'silenced', namespace, name }, check);
  }
  async silenceCovers(namespace: string, silence: Silenced): Promise<boolean> {
    return [...this.events].some(
      ([key, event]) => key.startsWith(`${namespace}/`) && coveredBy(event, [silence]).length > 0,
    );
  }
  async readEvent(namespace: string, entity: string, check: string) {
    return this.events.get(`${namespace}/${entity}/${check}`);
  }
  readonly incidents = new Incidents({
    read: ({ namespace, entity, check }) => this.readEvent(namespace, entity, check),
    tell: async ({ namespace, entity, check }, fact) => {
      const key = `${namespace}/${entity}/${check}`;
      const event = this.events.get(key);
      const step = event === undefined ? undefined : decideCheck({ event } as CheckContext, fact);
      if (step?.context.event) this.events.set(key, step.context.event);
    },
    nowMs: Date.now,
  });

  async readTrace(namespace: string, entity: string, check: string) {
    return this.traces.get(`${namespace}/${entity}/${check}`);
  }
  async deleteEvent(namespace: string, entity: string, check: string) {
    return this.events.delete(`${namespace}/${entity}/${check}`);
  }
  async readEntities(query: Query<Entity>) {
    return page(this.entities, query.namespace === undefined ? '' : `${query.namespace}/`, query);
  }
  knowsEntity(namespace: string, name: string) {
    return this.entities.has(`${namespace}/${name}`);
  }
  async readEntity(namespace: string, name: string) {
    return this.entities.get(`${namespace}/${name}`);
  }
  async putEntity(entity: Entity, { create }: { create: boolean }) {
    const { namespace = '', name } = entity.metadata;
    const key = `${namespace}/${name}`;
    if (create && this.entities.has(key)) throw alreadyExists({ segment: 'entities', namespace, name });
    this.entities.set(key, entity);
    return entity;
  }
  async deleteEntity(namespace: string, name: string) {
    return this.entities.delete(`${namespace}/${name}`);
  }
  admitsEntity(namespace: string, name: string): boolean {
    return this.entities.has(`${namespace}/${name}`) || this.entities.size < this.entityLimit;
  }
  entityAllowance() {
    const { size: count } = this.entities;
    return { count, limit: Number.isFinite(this.entityLimit) ? this.entityLimit : 0 };
  }
  async executeCheck(namespace: string, check: string, subscriptions?: readonly string[]) {
    this.executed.push({ namespace, check, ...(subscriptions ? { subscriptions } : {}) });
    return { issued: 1_700_000_000 };
  }
  openSession(info: SessionInfo): AgentSession {
    const session: { info: SessionInfo; closedWith?: string } = { info };
    this.sessions.push(session);
    return {
      closed(reason) {
        session.closedWith = reason;
      },
    };
  }
  storeTrouble: string | undefined;
  health() {
    return this.healthReport();
  }
  isReady(): boolean {
    return this.ready;
  }
}
