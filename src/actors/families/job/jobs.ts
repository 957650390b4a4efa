// The bulk jobs of a backend: starts and cancels them, does their steps, and forgets the oldest when there are too many.
import { randomUUID } from 'node:crypto';
import { shardOfKey } from '../../../cluster/shards.ts';
import type { JobContext, JobError, JobFact, JobOrder } from '../../../machines/job/job-machine.ts';
import { MonError } from '../../../model/errors.ts';
import { undoSecondsOf } from '../../../model/resource/job.ts';
import type { EventIndex } from '../../events/event-index.ts';
import { type EventFilter, testOf } from '../../events/event-search.ts';
import { walkInTurns } from '../../events/walk-in-turns.ts';
import { awaitReceipt } from '../../outcomes/receipts.ts';
import type { Faults } from '../../runtime/inspection/facts.ts';
import type { Families } from '../kit/families.ts';
import type { FamilyActors } from '../kit/family-actors.ts';
import { type JobIdentity, jobFamily } from './job-family.ts';
import { doOne, type JobStepPorts } from './job-steps.ts';
import { jobAgainMs, jobStepEvents, maxJobEvents, maxJobNameBytes, maxJobs, maxLiveJobs } from './limits.ts';

export interface JobsPorts extends JobStepPorts {
  readonly families: Families;
  readonly index: Pick<EventIndex, 'named' | 'settled'>;
  /** Names of the events that match, on all backends. */
  readonly matching: (namespace: string, filter: EventFilter) => Promise<readonly string[]>;
  readonly faults: Pick<Faults, 'report'>;
  readonly after: (delayMs: number, task: () => void) => void;
}

export type NewJob = Pick<JobOrder, 'action' | 'parameters' | 'by'> & {
  /** The events by name, or those that match. */
  readonly events: readonly string[] | EventFilter;
};

type JobState = 'waiting' | 'running' | 'done' | 'canceled';

export interface JobView extends JobContext {
  readonly state: JobState;
}

interface HeldStep {
  readonly identity: JobIdentity;
  readonly context: JobContext;
  readonly from: number;
}

const isFilter = (events: NewJob['events']): events is EventFilter => !Array.isArray(events);

export class Jobs {
  readonly #ports: JobsPorts;
  readonly #actors: FamilyActors<JobIdentity, JobContext, JobFact>;
  /** All that are kept, in the order in which they were started. */
  readonly #known = new Map<string, JobIdentity>();
  /** Steps that wait until the backend serves. */
  #held: HeldStep[] | undefined = [];
  #isStopped = false;

  constructor(ports: JobsPorts) {
    this.#ports = ports;
    this.#actors = ports.families.bind(jobFamily, {
      step: (identity, context, from) => this.#step({ identity, context, from }),
      restored: (identity) => this.#known.set(keyOf(identity), identity),
      forgotten: (identity) => this.#known.delete(keyOf(identity)),
    });
  }

  /** Jobs go on from now on. */
  start(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const step of held) this.#step(step);
  }

  /** No further step begins; the next start of the backend goes on. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Resolves once the job is durable. Rejects with `invalid` or `tooManyRequests`. */
  async submit(
    namespace: string,
    { action, parameters, by, events: asked }: NewJob,
    id: string = randomUUID(),
  ): Promise<JobView> {
    const events = isFilter(asked) ? await this.#ports.matching(namespace, asked) : [...new Set(asked)];
    if (events.length > maxJobEvents)
      throw new MonError(
        'invalid',
        `more than ${maxJobEvents} events match, which is the most of one job: narrow the filter`,
      );
    if (events.length === 0) throw new MonError('invalid', 'no event matches: there is nothing to do');
    if (Buffer.byteLength(events.join()) > maxJobNameBytes)
      throw new MonError(
        'invalid',
        'the names of the events take too many bytes for one job: narrow the filter',
      );
    this.#makeRoom();
    const identity = { namespace, id };
    const nowMs = this.#ports.nowMs();
    const beginAtMs = nowMs + undoSecondsOf(action) * 1000;
    this.#known.set(keyOf(identity), identity);
    this.#actors.ensure(identity);
    const order = { action, parameters, by, events, beginAtMs };
    try {
      await awaitReceipt((receipt) =>
        this.#actors.tell(identity, { type: 'job.submitted', nowMs, ...order }, receipt),
      );
    } catch (error) {
      this.#actors.tell(identity, { type: 'job.canceled', nowMs, by: by.username });
      throw error;
    }
    return this.#view(identity) ?? fail();
  }

  get(namespace: string, id: string): JobView | undefined {
    const identity = this.#known.get(keyOf({ namespace, id }));
    return identity === undefined ? undefined : this.#view(identity);
  }

  /** Of a namespace, the last one first. */
  list(namespace: string): readonly JobView[] {
    return this.#all()
      .filter((job) => job.namespace === namespace)
      .sort((a, b) => b.createdAtMs - a.createdAtMs);
  }

  /** Resolves once no further step begins. Rejects with `notFound`, or with `conflict` when it ended already. */
  async cancel(namespace: string, id: string, by: string): Promise<void> {
    const job = this.get(namespace, id);
    if (job === undefined) throw new MonError('notFound', `there is no job ${id}`);
    if (job.endedAtMs !== null) throw new MonError('conflict', `the job ${id} has ended: it is ${job.state}`);
    await awaitReceipt((receipt) =>
      this.#actors.tell({ namespace, id }, { type: 'job.canceled', nowMs: this.#ports.nowMs(), by }, receipt),
    );
  }

  /** Another backend goes on with the jobs of a shard. Resolves once their actors are gone. */
  async unload(shard: number): Promise<void> {
    const left = [...this.#known.values()].filter((identity) => shardOfKey(keyOf(identity)) === shard);
    for (const identity of left) this.#known.delete(keyOf(identity));
    await Promise.all(left.map((identity) => this.#actors.stop(identity)));
  }

  #all(): readonly JobView[] {
    return [...this.#known.values()].flatMap((identity) => this.#view(identity) ?? []);
  }

  #view(identity: JobIdentity): JobView | undefined {
    const context = this.#actors.context(identity);
    const state = this.#actors.state(identity);
    return context === undefined || state === 'unset' ? undefined : { ...context, state: state as JobState };
  }

  #makeRoom(): void {
    const jobs = this.#all();
    const live = jobs.filter(({ endedAtMs }) => endedAtMs === null);
    if (live.length >= maxLiveJobs)
      throw new MonError('tooManyRequests', `${maxLiveJobs} jobs are under way: wait for one to end`);
    const [oldest] = jobs
      .filter(({ endedAtMs }) => endedAtMs !== null)
      .sort((a, b) => (a.endedAtMs ?? 0) - (b.endedAtMs ?? 0));
    if (jobs.length >= maxJobs && oldest !== undefined)
      this.#actors.tell(
        { namespace: oldest.namespace, id: oldest.id },
        { type: 'job.forgotten', nowMs: this.#ports.nowMs() },
      );
  }

  /** Names of the events that live here and match. */
  async matching(namespace: string, filter: EventFilter): Promise<readonly string[]> {
    const { index } = this.#ports;
    await index.settled({ namespace });
    const isMatch = testOf(filter);
    const found: string[] = [];
    await walkInTurns(
      (place) => index.named(`${namespace}/`, place?.key),
      (entry) => {
        if (isMatch(entry)) found.push(entry.key.slice(namespace.length + 1));
        return found.length > maxJobEvents ? 'enough' : 'more';
      },
    );
    return found;
  }

  #step(step: HeldStep): void {
    if (this.#isStopped) return;
    if (this.#held !== undefined) return void this.#held.push(step);
    this.#doStep(step).catch((error: unknown) => {
      this.#ports.faults.report(`job ${step.identity.id}: its step is done again`, error);
      this.#ports.after(jobAgainMs, () => this.#step(step));
    });
  }

  /** Events of a step are done at the same time, so that their writes share a commit. */
  async #doStep({ identity, context, from }: HeldStep): Promise<void> {
    const job = this.get(identity.namespace, identity.id);
    // Canceled meanwhile, or done by another life of its actor.
    if (job === undefined || job.state !== 'running' || job.next !== from) return;
    const names = context.events.slice(from, from + jobStepEvents);
    const outcomes = await Promise.all(names.map((name) => doOne(context, name, this.#ports)));
    const errors: JobError[] = outcomes.flatMap((outcome, at) =>
      outcome.type === 'failed' ? [{ event: names[at] ?? '', why: outcome.why }] : [],
    );
    const count = (type: 'done' | 'skipped'): number => outcomes.filter((one) => one.type === type).length;
    const nowMs = this.#ports.nowMs();
    const told = { from, done: count('done'), skipped: count('skipped'), errors };
    await awaitReceipt((receipt) =>
      this.#actors.tell(identity, { type: 'job.stepped', nowMs, ...told }, receipt),
    );
  }
}

const keyOf = ({ namespace, id }: JobIdentity): string => `${namespace}/${id}`;

const fail = (): never => {
  throw new MonError('internal', 'the job was lost');
};
