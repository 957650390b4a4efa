// The one writer between the actors and the store (the fifth step on the road of an event). Actors put, it commits.
//
// Writes that are due at the same time share a commit, and so share a sync of the disk. Several puts of one key before
// its commit become one write: the newest `encode` wins, and every put is told once a write at least as new is durable.
// Revisions are given here, one more with each write of a key; a key is never in two commits at once. When the store
// fails, those who wait are told at once, and the keys stay due: they are tried again, with growing pauses, in their
// newest form. When the store says `stale`, somebody else owns the key now: it is not written again until re-seeded.
import type {
  Entry,
  PageQuery,
  RecordKind,
  SnapshotStore,
  StoredRecord,
  StoreWrite,
  WriteOutcome,
} from '../../store/snapshot-store.ts';
import { StoreError } from '../../store/snapshot-store.ts';
import { outcomeError } from '../outcomes/outcome-rules.ts';
import type { Outcome, Receipt } from '../runtime/contract.ts';
import { asError } from '../runtime/inspection/facts.ts';
import { Histogram, type HistogramFigures } from '../runtime/load/histogram.ts';
import { PressureGauge } from '../runtime/load/pressure-gauge.ts';
import { RecentFigures } from '../runtime/load/recent-figures.ts';
import type { Clock } from '../runtime/time/clock.ts';
import { CommitReceipts } from './commit-receipts.ts';
import {
  addReceipt,
  attach,
  type CommitSlot,
  type Companion,
  type Due,
  detach,
  dueAgain,
  type Encode,
  isUnsettled,
  noReceipts,
  removal,
  ShardElsewhere,
  SlotTable,
  StaleOwner,
  unsettledRecord,
  wholeBatch,
  writeOf,
} from './commit-slot.ts';
import { type GroupCommitLimits, groupCommitLimits } from './group-commit-limits.ts';
import type { HostedShards } from './hosted-shards.ts';
import { shardOfRecord } from './record-shard.ts';
import { StoreTrouble } from './store-trouble.ts';

export interface GroupCommitOptions {
  readonly store: SnapshotStore;
  readonly clock: Pick<Clock, 'wallMs' | 'monotonicMs' | 'setTimer'>;
  /** Told of failed commits, of keys lost to another writer, and of records that could not be encoded. */
  readonly onFault: (error: Error) => void;
  readonly limits?: Partial<GroupCommitLimits>;
  /** In a cluster: the shards whose records are written here. Absent: all records are. */
  readonly shards?: Pick<HostedShards, 'writes'> | undefined;
  /** A write was refused, since another backend owns the shard now. */
  readonly onShardLost?: ((shard: number) => void) | undefined;
}

export interface GroupCommitStats {
  readonly commits: number;
  readonly writes: number;
  /** Puts that became part of a write already due. */
  readonly coalesced: number;
  readonly failures: number;
  readonly lastCommitMs: number;
  readonly p99CommitMs: number;
}

/** Told what was committed under a key: undefined when it was deleted. One that throws is reported and changes nothing. */
export type Follower = (key: string, record: StoredRecord | undefined) => void;

export class GroupCommit {
  readonly #store: SnapshotStore;
  readonly #clock: GroupCommitOptions['clock'];
  readonly #limits: GroupCommitLimits;
  readonly #shards: GroupCommitOptions['shards'];
  readonly #onShardLost: GroupCommitOptions['onShardLost'];
  readonly #slots: SlotTable;
  readonly #trouble: StoreTrouble;
  readonly #receipts: CommitReceipts;
  readonly #pressure: PressureGauge;
  readonly #times = new RecentFigures();
  readonly #commitSeconds = new Histogram();
  readonly #counts = { commits: 0, writes: 0, coalesced: 0, failures: 0 };
  readonly #followers = new Map<RecordKind, Follower>();
  #queue: CommitSlot[] = [];
  #unsettledKeys = 0;
  #underWay = 0;
  #immediate: NodeJS.Immediate | undefined;
  #disarm: (() => void) | undefined;
  #closed = false;

  constructor(options: GroupCommitOptions) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#limits = { ...groupCommitLimits, ...options.limits };
    this.#shards = options.shards;
    this.#onShardLost = options.onShardLost;
    this.#slots = new SlotTable(options.shards === undefined ? undefined : shardOfRecord);
    this.#trouble = new StoreTrouble(this.#clock, this.#limits);
    this.#receipts = new CommitReceipts(options.onFault);
    const { highWaterWrites, lowWaterWrites } = this.#limits;
    this.#pressure = new PressureGauge(highWaterWrites, lowWaterWrites, (error) =>
      this.#receipts.report(error),
    );
  }

  /** How much is not durable yet: keys due or on their way, or receipts waiting, whichever is more. */
  get depth(): number {
    return Math.max(this.#unsettledKeys, this.#receipts.waiting);
  }

  /** Why the last commit failed; undefined while the store takes writes. */
  get trouble(): Error | undefined {
    return this.#trouble.error;
  }

  /** Keys that something is known of: those that were written, read or seeded. */
  get keys(): number {
    return this.#slots.size;
  }

  get underPressure(): boolean {
    return this.#pressure.high;
  }

  /** Told `true` when the depth reaches the high-water mark, `false` when it is back at the low one. */
  onPressure(listener: (high: boolean) => void): () => void {
    return this.#pressure.listen(listener);
  }

  /**
   * Asks for the record to be written. `settle` is told exactly once, never before `put` returned: `done` when a write at
   * least as new as this put is durable; `outage` when its commit failed (it is tried again all the same, so its outcome
   * is unknown) or another writer owns the key; `invalid` when the store can never take it; `fault` when `encode` threw.
   * What is told of a put holds for its companions, too.
   */
  put(
    kind: RecordKind,
    key: string,
    encode: Encode,
    settle?: Receipt,
    companions: readonly Companion[] = none,
  ): void {
    this.#ask(kind, key, encode, settle, companions);
  }

  /**
   * As `put`, for writers other than the owner of the record: only when what is stored still is of this revision, and nothing newer
   * is due. False, and `settle` is never told, when it is not, or when nothing is known of the key: it was deleted, or is to be
   * read first.
   */
  rewrite(
    kind: RecordKind,
    key: string,
    rev: number,
    encode: Encode,
    settle: Receipt,
    companions: readonly Companion[] = none,
  ): boolean {
    const slot = this.#slots.find(kind, key);
    if (slot === undefined || slot.lost || isUnsettled(slot) || slot.rev !== rev) return false;
    this.#ask(kind, key, encode, settle, companions);
    return true;
  }

  /** Asks for the record to be deleted; settles as `put` does. */
  delete(kind: RecordKind, key: string, settle?: Receipt): void {
    this.#ask(kind, key, removal, settle, none);
  }

  /** Tells the revision found in the store. A key lost to another writer may be written again afterwards. */
  seed(kind: RecordKind, key: string, rev: number): void {
    const slot = this.#slots.of(kind, key);
    slot.lost = undefined;
    slot.rev = Math.max(slot.rev, rev);
  }

  /** What readers may see: the record as it is stored. A crash can't take it back. */
  async committed(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
    const record = await this.#store.get(kind, key);
    const slot = this.#slots.find(kind, key);
    if (record && !(slot && isUnsettled(slot))) this.#learn(kind, key, record.rev);
    return record;
  }

  /** False while a newer form of the record than the stored one waits for its commit. */
  isSettled(kind: RecordKind, key: string): boolean {
    const slot = this.#slots.find(kind, key);
    return slot === undefined || !isUnsettled(slot);
  }

  /**
   * What an actor begins from after a crash: the newest form of the record, committed or not. Reading also records the
   * stored revision.
   */
  async latest(kind: RecordKind, key: string): Promise<StoredRecord | undefined> {
    const slot = this.#slots.find(kind, key);
    if (slot && isUnsettled(slot)) return unsettledRecord(slot, this.#clock.wallMs());
    const record = await this.#store.get(kind, key);
    const meanwhile = this.#slots.find(kind, key);
    if (meanwhile && isUnsettled(meanwhile)) return unsettledRecord(meanwhile, this.#clock.wallMs());
    if (record) this.#learn(kind, key, record.rev);
    return record;
  }

  /** What is committed, in ascending order of key; what is due does not show. Reading also records the stored revisions. */
  async *scan(kind: RecordKind, query?: PageQuery): AsyncIterable<Entry> {
    for await (const entry of this.#store.scan(kind, query)) {
      this.#learn(kind, entry.key, entry.record.rev);
      yield entry;
    }
  }

  /** Tells every commit of a kind to one follower, before those who wait for it are told. */
  follow(kind: RecordKind, follower: Follower): void {
    this.#followers.set(kind, follower);
  }

  /** Resolves when everything asked for before is durable; rejects with the first failure met on the way. */
  flush(): Promise<void> {
    const waiting = this.#slots.unsettled();
    if (waiting.length === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      let left = waiting.length;
      const told = (outcome: Outcome) => {
        left -= 1;
        if (outcome.type !== 'done') reject(causeOf(outcomeError(outcome)));
        else if (left === 0) resolve();
      };
      for (const slot of waiting) this.#wait(slot, told);
      this.#trouble.tryNow();
      this.#pump();
    });
  }

  /** Resolves once nothing of a shard waits for the store, however long that takes. */
  async settleShard(shard: number): Promise<void> {
    while (!this.#closed) {
      const waiting = this.#slots.ofShard(shard).filter(isUnsettled);
      if (waiting.length === 0) return;
      // Told of a failure, too: then they are due again.
      await Promise.all(waiting.map((slot) => new Promise<Outcome>((told) => this.#wait(slot, told))));
    }
  }

  /** Nothing of a shard is written from now on; those who wait are told so. */
  abandonShard(shard: number): void {
    for (const slot of this.#slots.ofShard(shard)) {
      const told = slot.receipts;
      slot.lost = new ShardElsewhere(slot.kind, slot.key);
      if (slot.due && !slot.writing) this.#unsettledKeys -= 1;
      slot.due = undefined;
      slot.receipts = noReceipts;
      this.#receipts.tellAll(told, slot.lost);
    }
    this.#pressure.note(this.depth);
  }

  /**
   * Forgets the keys of a shard, once its actors are gone, and tells their followers. Resolves to the keys, once no write of any of
   * them is under way.
   */
  async forgetShard(shard: number): Promise<readonly RecordAddress[]> {
    this.abandonShard(shard);
    const slots = this.#slots.ofShard(shard);
    for (const slot of slots) {
      this.#slots.forget(slot);
      this.#tellFollower(slot, undefined);
    }
    const writing = slots.filter((slot) => slot.writing !== undefined);
    await Promise.all(writing.map((slot) => new Promise<Outcome>((told) => this.#wait(slot, told))));
    return slots;
  }

  /** Writes what is due, then takes no more; rejects if that failed. The store stays open: its opener closes it. */
  async close(): Promise<void> {
    try {
      await this.flush();
    } finally {
      this.#closed = true;
      this.#stopTimers();
      this.#failQueued(closedError());
    }
  }

  stats(): GroupCommitStats {
    return { ...this.#counts, lastCommitMs: this.#times.last, p99CommitMs: this.#times.percentile(0.99) };
  }

  /** How long commits took since the start, seconds; without those that failed. */
  commitSeconds(): HistogramFigures {
    return this.#commitSeconds.read();
  }

  #ask(
    kind: RecordKind,
    key: string,
    due: Due,
    settle: Receipt | undefined,
    companions: readonly Companion[],
  ): void {
    const slot = this.#shards === undefined ? this.#slots.of(kind, key) : this.#ownSlot(kind, key);
    const refusal = this.#closed ? closedError() : slot?.lost;
    if (refusal !== undefined || slot === undefined) {
      this.#receipts.refuse(settle, refusal ?? new ShardElsewhere(kind, key));
      return;
    }
    if (slot.due) this.#counts.coalesced += 1;
    this.#setDue(slot, due);
    for (const companion of companions) this.#accompany(slot, companion);
    if (settle) this.#waitUnlessHopeless(slot, settle);
    if (!slot.queued && !slot.writing && !slot.main) this.#enqueue(slot);
    this.#pressure.note(this.depth);
    this.#schedule();
  }

  /** In a cluster: undefined for a key that is not written here, of which nothing is kept. */
  #ownSlot(kind: RecordKind, key: string): CommitSlot | undefined {
    const known = this.#slots.find(kind, key);
    if (known !== undefined) return known;
    return this.#shards?.writes(kind, key) === false ? undefined : this.#slots.of(kind, key);
  }

  #learn(kind: RecordKind, key: string, rev: number): void {
    if (this.#shards?.writes(kind, key) !== false) this.#slots.learn(kind, key, rev);
  }

  #setDue(slot: CommitSlot, due: Due): void {
    if (!isUnsettled(slot)) this.#unsettledKeys += 1;
    slot.due = due;
  }

  #accompany(main: CommitSlot, companion: Companion): void {
    const slot = this.#slots.of(companion.kind, companion.key);
    if (companion.type === 'put') {
      this.#setDue(slot, companion.encode);
      slot.order = 'first';
      attach(slot, main);
      return;
    }
    // What was never written need not be deleted.
    if (slot.rev === 0 && !slot.writing) return this.#abandon(slot);
    this.#setDue(slot, removal);
    // A deletion that is under way by itself goes on so.
    if (slot.queued && !slot.main) return;
    slot.order = companion.last ? 'last' : undefined;
    attach(slot, main);
  }

  /** Nothing is written under this key any more. */
  #abandon(slot: CommitSlot): void {
    const told = slot.receipts;
    if (slot.due) this.#unsettledKeys -= 1;
    slot.due = undefined;
    slot.receipts = noReceipts;
    detach(slot);
    this.#slots.forget(slot);
    this.#receipts.tellAll(told, undefined);
  }

  #waitUnlessHopeless(slot: CommitSlot, settle: Receipt): void {
    const { hopeless } = this.#trouble;
    if (hopeless) this.#receipts.refuse(settle, hopeless);
    else this.#wait(slot, settle);
  }

  #wait(slot: CommitSlot, settle: Receipt): void {
    this.#receipts.waiting += 1;
    if (slot.due) slot.receipts = addReceipt(slot.receipts, settle);
    else slot.writingReceipts = addReceipt(slot.writingReceipts, settle);
  }

  /** Arranges for the next commit: at the end of this turn when the store is idle, a little later when it is not. */
  #schedule(): void {
    if (this.#immediate || this.#closed || this.#queue.length === 0) return;
    if (this.#underWay >= this.#store.maxConcurrentCommits) return;
    const isEarly = this.#underWay > 0 && this.#queue.length < this.#limits.minConcurrentWrites;
    if (this.#trouble.isFailing) this.#arm(this.#trouble.retryInMs);
    else if (isEarly) this.#arm(this.#limits.maxDelayMs);
    else this.#immediate = setImmediate(() => this.#pump());
  }

  #arm(ms: number): void {
    this.#disarm ??= this.#clock.setTimer(() => this.#pump(), Math.max(0, ms));
  }

  /** Starts one commit if the store will take it. While the store is failing there is one at a time, as a probe. */
  #pump(): void {
    this.#stopTimers();
    const atOnce = this.#trouble.isFailing ? 1 : this.#store.maxConcurrentCommits;
    if (this.#closed || this.#underWay >= atOnce) return;
    const due = this.#trouble.retryInMs > 0 ? [] : this.#queue.splice(0, this.#limits.maxBatchWrites);
    const batch = due.filter((slot) => this.#beginWriting(slot));
    if (batch.length > 0) {
      this.#underWay += 1;
      void this.#commit(batch).finally(() => {
        this.#underWay -= 1;
        this.#pressure.note(this.depth);
        this.#schedule();
      });
    }
    this.#schedule();
  }

  #beginWriting(slot: CommitSlot): boolean {
    slot.queued = false;
    // One that goes with another is begun with that one.
    if (!slot.due || slot.main) return false;
    // A key is never in two commits at once.
    if (slot.companions?.some(({ writing }) => writing)) {
      this.#enqueue(slot);
      return false;
    }
    try {
      this.#take(slot);
      for (const companion of slot.companions ?? none) this.#take(companion);
      return true;
    } catch (error) {
      this.#refuse(slot, asError(error));
      return false;
    }
  }

  /** What is due is on its way from now on. Throws what `encode` threw. */
  #take(slot: CommitSlot): void {
    const { due } = slot;
    if (!due) return;
    slot.due = undefined;
    slot.writingReceipts = slot.receipts;
    slot.receipts = noReceipts;
    slot.rev += 1;
    slot.writing = writeOf(slot, due, this.#clock.wallMs());
  }

  /** The write of a slot can never succeed, nor those of its companions. */
  #refuse(slot: CommitSlot, error: Error): void {
    this.#receipts.report(error);
    for (const companion of slot.companions ?? none) {
      const { writing, due, order } = companion;
      const isNewer = due !== undefined && slot.due !== undefined;
      const isDeleted = writing?.type === 'delete' || due === removal;
      // What is done with need not be kept, whatever becomes of the main record. What the main record was to give up it
      // goes on counting on.
      if (!isNewer) companion.due = isDeleted && order !== 'last' ? removal : undefined;
      if (!isNewer || writing) this.#settle(companion, error);
    }
    this.#settle(slot, error);
  }

  /** Never rejects: whatever happens is told to those it concerns. */
  async #commit(batch: readonly CommitSlot[]): Promise<void> {
    const startedMs = this.#clock.monotonicMs();
    const slots = wholeBatch(batch);
    try {
      const outcomes = await this.#store.commit(slots.map((slot) => slot.writing as StoreWrite));
      this.#trouble.over();
      this.#counts.commits += 1;
      const tookMs = this.#clock.monotonicMs() - startedMs;
      this.#times.add(tookMs);
      this.#commitSeconds.observe(tookMs / 1_000);
      for (const [at, slot] of slots.entries()) this.#conclude(slot, outcomes[at]);
    } catch (error) {
      if (error instanceof StoreError && error.code === 'invalid') await this.#isolate(batch, error);
      else this.#postpone(batch, asError(error));
    }
  }

  #conclude(slot: CommitSlot, outcome: WriteOutcome | undefined): void {
    // Given up while it was written.
    if (slot.lost !== undefined) {
      this.#settle(slot, outcome?.written === false ? slot.lost : undefined);
      return;
    }
    if (outcome?.written === false) {
      this.#lose(slot, outcome.storedRev);
      return;
    }
    this.#counts.writes += 1;
    const { writing } = slot;
    const deleted = writing?.type === 'delete';
    slot.rev = outcome?.rev ?? slot.rev;
    this.#tellFollower(slot, writing?.type === 'put' ? writing.record : undefined);
    this.#settle(slot, undefined);
    if (deleted && !isUnsettled(slot)) this.#slots.forget(slot);
  }

  #tellFollower({ kind, key }: CommitSlot, record: StoredRecord | undefined): void {
    try {
      this.#followers.get(kind)?.(key, record);
    } catch (error) {
      this.#receipts.report(error);
    }
  }

  #lose(slot: CommitSlot, storedRev: number): void {
    const lost = new StaleOwner(slot.kind, slot.key, storedRev);
    const overtaken = slot.receipts;
    slot.lost = lost;
    slot.due = undefined;
    slot.receipts = noReceipts;
    for (const companion of slot.companions ?? none) {
      companion.due = undefined;
      if (!companion.writing) this.#settle(companion, lost);
    }
    this.#settle(slot, lost);
    this.#receipts.tellAll(overtaken, lost);
    this.#receipts.report(lost);
    const shard = this.#shards === undefined ? undefined : shardOfRecord(slot.kind, slot.key);
    if (shard !== undefined) this.#onShardLost?.(shard);
  }

  /** The store refused the batch for what is in it: halves it until the culprit is alone; the rest gets through. */
  async #isolate(whole: readonly CommitSlot[], error: StoreError): Promise<void> {
    const batch = this.#withoutLost(whole, error);
    const [first] = batch;
    if (first === undefined) return;
    if (batch.length === 1) {
      this.#counts.failures += 1;
      this.#refuse(first, error);
      return;
    }
    // Part of a refused batch may have been written: another try is another write.
    for (const slot of wholeBatch(batch)) {
      slot.rev += 1;
      slot.writing = writeOf(slot, dueAgain(slot.writing as StoreWrite), this.#clock.wallMs());
    }
    const middle = batch.length >> 1;
    await this.#commit(batch.slice(0, middle));
    await this.#commit(batch.slice(middle));
  }

  /** Nothing is done again for keys that were given up meanwhile. */
  #withoutLost(batch: readonly CommitSlot[], error: Error): readonly CommitSlot[] {
    if (this.#shards === undefined) return batch;
    for (const slot of wholeBatch(batch)) if (slot.lost !== undefined) this.#settle(slot, error);
    return batch.filter((slot) => slot.lost === undefined);
  }

  /** The commit failed: tells those who wait, keeps the keys due, and pauses before the next try. */
  #postpone(whole: readonly CommitSlot[], error: Error): void {
    const batch = this.#withoutLost(whole, error);
    this.#counts.failures += 1;
    const pauseMs = this.#trouble.failed(error);
    this.#stopTimers();
    for (const slot of wholeBatch(batch)) this.#keepDue(slot, error);
    for (const slot of batch) slot.queued = true;
    this.#queue = [...batch, ...this.#queue];
    // Those who wait for a commit that was not tried should hear within reason too.
    if (this.#trouble.isLong(pauseMs)) this.#failQueued(error);
    this.#receipts.report(error);
  }

  #keepDue(slot: CommitSlot, error: Error): void {
    const told = slot.writingReceipts;
    slot.due ??= dueAgain(slot.writing as StoreWrite);
    slot.writing = undefined;
    slot.writingReceipts = noReceipts;
    this.#receipts.tellAll(told, error);
  }

  /** The write of a key is over: tells its receipts, and queues it again if it became due meanwhile. */
  #settle(slot: CommitSlot, error: Error | undefined): void {
    const told = slot.writingReceipts;
    slot.writing = undefined;
    slot.writingReceipts = noReceipts;
    // One that became due again goes with its main record only if that one did, too.
    if (slot.main && !(slot.due && slot.main.due)) detach(slot);
    if (!slot.due) this.#unsettledKeys -= 1;
    else if (!slot.main) this.#enqueue(slot);
    this.#receipts.tellAll(told, error);
  }

  #enqueue(slot: CommitSlot): void {
    slot.queued = true;
    this.#queue.push(slot);
  }

  #failQueued(error: Error): void {
    for (const slot of this.#queue.flatMap((queued) => [queued, ...(queued.companions ?? none)])) {
      const told = slot.receipts;
      slot.receipts = noReceipts;
      this.#receipts.tellAll(told, error);
    }
  }

  #stopTimers(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    this.#disarm?.();
    this.#disarm = undefined;
  }
}

/** Of a record. */
export interface RecordAddress {
  readonly kind: RecordKind;
  readonly key: string;
}

const none: readonly never[] = [];

/** Those who flush ask the store itself, and hear its own error. */
const causeOf = (error: Error): unknown => error.cause ?? error;

const closedError = (): StoreError => new StoreError('closed', 'the writer is closed');
