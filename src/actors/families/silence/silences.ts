// The silences: one actor for each entry, which knows when it begins and ends, beside the index that events ask. Kept in
// step with the resource table; an entry whose time is over is deleted from it.
import type { SilenceEffect, SilenceFact } from '../../../machines/silence/silence-facts.ts';
import { silenceMachine } from '../../../machines/silence/silence-machine.ts';
import type { Event } from '../../../model/event.ts';
import type { Silenced } from '../../../model/silenced.ts';
import type { ResourceTable } from '../../resources/resource-table.ts';
import type { ActorId, Behaviour } from '../../runtime/contract.ts';
import { endAgainMs, maxSilenceMail } from '../../runtime/limits.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { SilenceIndex } from './silence-index.ts';

export const silencesId: ActorId = 'silences';

const silenceId = (namespace: string, name: string): ActorId => `silence:${namespace}/${name}`;

export class Silences {
  readonly #runtime: Runtime;
  readonly #table: ResourceTable;
  readonly #index = new SilenceIndex();
  readonly #changed: (namespace: string) => void;

  /** `changed` is told whenever other events of a namespace may be silenced than before, and not while it is set up. */
  constructor(runtime: Runtime, table: ResourceTable, changed: (namespace: string) => void = () => {}) {
    this.#runtime = runtime;
    this.#table = table;
    this.#changed = changed;
    for (const entry of table.list('silenced').items as unknown as readonly Silenced[])
      this.#index.put(namespaceOf(entry), entry);
    table.watch('silenced', (change) => {
      if (change.type === 'put') this.#define(change.resource as unknown as Silenced);
      else this.#forget(change.namespace, change.name);
    });
  }

  /** Starts the actors of what is stored; the index answers from the beginning. */
  start(): void {
    for (const entry of this.#table.list('silenced').items as unknown as readonly Silenced[])
      this.#define(entry);
  }

  /** Names of the silences that match an event now, in stored order. */
  matching(event: Event, nowSeconds: number): readonly string[] {
    return this.#index.matching(event, nowSeconds);
  }

  /** Which of the named silences end when their incident resolves. */
  endingOnResolve(namespace: string, names: readonly string[]): readonly string[] {
    return names.length === 0 ? names : this.#index.endingOnResolve(namespace, names);
  }

  /** An incident that these silences matched has resolved: those that end with it cover no further event. */
  lift(namespace: string, names: readonly string[]): void {
    for (const name of this.#index.endingOnResolve(namespace, names)) {
      this.#index.remove(namespace, name);
      this.#changed(namespace);
    }
  }

  /** The resolution could not be kept: silences that were lifted cover events again. */
  restore(namespace: string, names: readonly string[]): void {
    for (const name of names) {
      const entry = this.#entry(namespace, name);
      if (entry === undefined) continue;
      this.#index.put(namespace, entry);
      this.#changed(namespace);
    }
  }

  /** Deletes those of the silences that end on resolve. Resolves once that is durable, however long the store takes. */
  async end(namespace: string, names: readonly string[]): Promise<void> {
    this.lift(namespace, names);
    const nowMs = this.#runtime.clock.wallMs();
    await Promise.all(
      names.map((name) => {
        if (this.#entry(namespace, name)?.expire_on_resolve !== true) return undefined;
        this.#tell(silenceId(namespace, name), { type: 'incident.resolved', nowMs });
        return this.#delete(namespace, name);
      }),
    );
  }

  #define(entry: Silenced): void {
    const namespace = namespaceOf(entry);
    const { name } = entry.metadata;
    const id = silenceId(namespace, name);
    this.#index.put(namespace, entry);
    this.#changed(namespace);
    if (!this.#runtime.registry.has(id)) return this.#start(id, namespace, name);
    // Deleted and made again before its actor had gone: that one hears nothing any more, so another one starts.
    this.#runtime.registry.tell(id, this.#definition(entry), (outcome) => {
      if (outcome.type === 'busy' && this.#index.has(namespace, name)) this.#start(id, namespace, name);
    });
  }

  #start(id: ActorId, namespace: string, name: string): void {
    const behaviour = this.#behaviour(namespace, name) as Behaviour;
    this.#runtime.supervisor(silencesId)?.startChild({ id, restart: 'transient', behaviour });
  }

  #forget(namespace: string, name: string): void {
    this.#index.remove(namespace, name);
    this.#changed(namespace);
    const id = silenceId(namespace, name);
    if (this.#runtime.registry.has(id)) {
      this.#tell(id, { type: 'silence.cleared', nowMs: this.#runtime.clock.wallMs() });
    }
  }

  #behaviour(namespace: string, name: string): Behaviour<SilenceEffect> {
    return {
      machine: silenceMachine,
      mailbox: { capacity: maxSilenceMail, overflow: 'coalesce' },
      begin: () => ({ input: { namespace, name } }),
      firstMessage: () => {
        const entry = this.#entry(namespace, name);
        const nowMs = this.#runtime.clock.wallMs();
        return entry === undefined
          ? ({ type: 'silence.cleared', nowMs } as SilenceFact)
          : this.#definition(entry);
      },
      perform: (effect, actor) => {
        switch (effect.type) {
          case 'deadline.set':
            return actor.setDeadline(effect.name, effect.atMs, { anchor: 'wall' });
          case 'deadline.clear':
            return actor.clearDeadline(effect.name);
          case 'silence.began':
            return this.#changed(namespace);
          case 'silence.ended':
            // A resolved one is deleted by whoever told it so, who wants to know when that is durable.
            if (effect.why === 'timeOver') this.#delete(namespace, name);
        }
      },
    };
  }

  #entry(namespace: string, name: string): Silenced | undefined {
    return this.#table.get('silenced', namespace, name) as unknown as Silenced | undefined;
  }

  /** Deletes what is there now, and not what somebody puts in its place. While the store is away it is tried again. */
  async #delete(namespace: string, name: string, tries = 0): Promise<void> {
    const ended = this.#entry(namespace, name);
    if (ended === undefined) return;
    const isReplaced = (): boolean => this.#entry(namespace, name) !== ended;
    const { faults, deadlines } = this.#runtime;
    try {
      await this.#table.delete({ segment: 'silenced', namespace, name }, () => {
        if (isReplaced()) throw new Error('replaced meanwhile');
      });
    } catch (error) {
      if (isReplaced()) return;
      if (tries === 0) faults.report(`ending silence ${namespace}/${name}: it is tried again`, error);
      await new Promise<void>((resolve) => deadlines.after(endAgainMs, resolve));
      if (!isReplaced()) await this.#delete(namespace, name, tries + 1);
    }
  }

  #definition(entry: Silenced): SilenceFact {
    return {
      type: 'silence.defined',
      nowMs: this.#runtime.clock.wallMs(),
      beginMs: entry.begin * 1000,
      expireAtMs: entry.expire_at > 0 ? entry.expire_at * 1000 : null,
      expireOnResolve: entry.expire_on_resolve,
    };
  }

  #tell(id: ActorId, fact: SilenceFact): void {
    this.#runtime.registry.tell(id, fact);
  }
}

const namespaceOf = (entry: Silenced): string => entry.metadata.namespace ?? '';
