// Every event as it was last committed, in order of name and in order of urgency, with its silences and masks of now: what lists are
// read from. Fed by the one writer after each commit, so a reader never sees what a crash could take back; a list of
// fifty thousand is neither read from the store nor sorted when somebody looks.
//
// It has no subscribers: each change has a sequence number, and readers ask for the changes after one.
import { type Severity, severities, sinceInHistory } from '../../machines/check/severity-rule.ts';
import { isDown, targetsOf } from '../../model/check/dependencies.ts';
import type { Mask } from '../../model/check/mask.ts';
import { type CheckEvent, eventNamespace } from '../../model/event/event.ts';
import { checkKey } from '../../model/resource/names.ts';
import { DependencyGraph, noKeys } from './dependency-graph.ts';
import { byName, byUrgency, type EventEntry, maskOf, rankOf, type Standing } from './event-entry.ts';
import { type EventScope, isInScope } from './event-scope.ts';
import { keptChanges, remarkedPerTurn } from './limits.ts';
import { Remasking } from './remasking.ts';
import { mergeSorted, SortedList } from './sorted-list.ts';

type Counts = Readonly<Record<Severity, number>>;

/** How many events a namespace has of each severity, and how many of those are silenced, masked, and both. */
export interface EventCounts {
  readonly all: Counts;
  readonly silenced: Counts;
  readonly masked: Counts;
  readonly both: Counts;
}

/** What of an event lists filter by. */
export interface Marks {
  readonly rank: number;
  readonly silenced: boolean;
  readonly masked: boolean;
}

/** What was before one change: tells who saw the event whether it has left their view. */
export interface Change {
  readonly seq: number;
  readonly key: string;
  /** Undefined when the event is new. */
  readonly before: Marks | undefined;
}

export interface EventIndexPorts {
  readonly nowMs: () => number;
  readonly silencesMatching: (event: CheckEvent, nowSeconds: number) => readonly string[];
  readonly onFault: (error: unknown) => void;
}

interface Board {
  readonly byUrgency: SortedList<EventEntry, Standing>;
  readonly all: number[];
  readonly silenced: number[];
  readonly masked: number[];
  readonly both: number[];
}

const noMasks: readonly EventEntry[] = [];
const wasNew = -1;
const noCounts = (): number[] => severities.map(() => 0);
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export class EventIndex {
  readonly #ports: EventIndexPorts;
  readonly #entries = new Map<string, EventEntry>();
  readonly #names = new SortedList<EventEntry, Pick<Standing, 'key'>>(byName);
  readonly #boards = new Map<string, Board>();
  /** The last changes: the one with sequence number n stands at n modulo their number. Plain, so that noting is free. */
  readonly #changedKeys: string[] = [];
  readonly #changedFrom = new Int8Array(keptChanges);
  /** Namespaces whose silences changed, until every event of theirs was looked at again. */
  readonly #remarking = new Map<string, { again: boolean; readonly done: Promise<void> }>();
  /** How many events there are of each `namespace/check`. */
  readonly #ofCheck = new Map<string, number>();
  readonly #graph = new DependencyGraph((key) => this.#isDown(key));
  readonly #remasking: Remasking;
  #seq = 0;

  constructor(ports: EventIndexPorts) {
    this.#ports = ports;
    this.#remasking = new Remasking({
      dependents: (key) => this.#graph.dependents(key),
      mark: (key, touched) => this.#mask(key, touched),
      touch: (entry) => this.#touch(entry),
      onFault: ports.onFault,
    });
  }

  get size(): number {
    return this.#entries.size;
  }
  /** Of the last change; grows by one with each. */
  get seq(): number {
    return this.#seq;
  }

  /**
   * What was committed under a key; null when it was deleted, or has no result yet. `since`: when it got its severity, in
   * Unix seconds, as its record says; without it the history tells.
   */
  learn(key: string, event: CheckEvent | null, since?: number | null): void {
    const known = this.#entries.get(key);
    if (event === null) {
      if (known !== undefined) this.#remove(known);
    } else if (known === undefined) this.#add(key, event, since ?? sinceInHistory(event));
    // A delivery that was noted is a commit, too, and changes nothing here.
    else if (known.event !== event) this.#update(known, event, since);
  }

  get(key: string): EventEntry | undefined {
    return this.#entries.get(key);
  }

  /** In order of key, after one of them; a prefix is `namespace/` or `namespace/entity/`. */
  *named(prefix: string, after: string | undefined): Iterable<EventEntry> {
    const start = after === undefined || after < prefix ? prefix : after;
    for (const entry of this.#names.from({ key: start })) {
      if (!entry.key.startsWith(prefix)) return;
      if (entry.key !== after) yield entry;
    }
  }

  /** Worst first, from a standing on, itself included. Reads every namespace of the scope, a little ahead. */
  urgent(scope: EventScope, from: Standing | undefined): Iterable<EventEntry> {
    const lists = this.#boardsIn(scope).map((board) => board.byUrgency.from(from));
    return lists.length === 1 ? (lists[0] ?? []) : mergeSorted(lists, byUrgency);
  }

  counts(scope: EventScope): EventCounts {
    const boards = this.#boardsIn(scope);
    const sum = (of: keyof EventCounts): Counts =>
      named(noCounts().map((_, rank) => boards.reduce((all, board) => all + (board[of][rank] ?? 0), 0)));
    return { all: sum('all'), silenced: sum('silenced'), masked: sum('masked'), both: sum('both') };
  }

  /** What changed after a sequence number, oldest first; undefined when some of it is no longer kept. */
  changesAfter(seq: number): readonly Change[] | undefined {
    if (seq > this.#seq || this.#seq - seq > keptChanges) return undefined;
    return Array.from({ length: this.#seq - seq }, (_, index) => this.#change(seq + 1 + index));
  }

  /** The silences of a namespace changed: all its events are marked again, a few at a time. */
  silencesChanged(namespace: string): void {
    const running = this.#remarking.get(namespace);
    if (running !== undefined) {
      running.again = true;
      return;
    }
    const pass = { again: false, done: Promise.resolve() };
    pass.done = this.#remark(namespace, pass)
      .catch(this.#ports.onFault)
      .finally(() => this.#remarking.delete(namespace));
    this.#remarking.set(namespace, pass);
  }

  /** What masks an event now, if it fails: also one that is not committed yet. */
  masksOf(event: CheckEvent): readonly Mask[] {
    if (event.check.status === 0) return [];
    const namespace = eventNamespace(event);
    const key = checkKey(namespace, event.entity.metadata.name, event.check.metadata.name);
    return this.#masksOf(key, event, targetKeys(namespace, event)).map(maskOf);
  }

  /** Whether any entity has an event of this check. */
  hasCheck(namespace: string, check: string): boolean {
    return this.#ofCheck.has(`${namespace}/${check}`);
  }

  /** Cycles of dependencies, each as the keys on the way round. */
  cycles(): readonly (readonly string[])[] {
    return this.#graph.cycles();
  }

  /** Resolves when every event of the scope carries the silences and masks known at the time of the call. */
  async settled(scope: EventScope): Promise<void> {
    for (const [namespace, { done }] of [...this.#remarking]) if (isInScope(scope, namespace)) await done;
    await this.#remasking.settled((namespace) => isInScope(scope, namespace));
  }

  #boardsIn(scope: EventScope): readonly Board[] {
    if (scope.namespace !== '') {
      const board = this.#boards.get(scope.namespace);
      return board === undefined ? [] : [board];
    }
    return [...this.#boards].filter(([name]) => isInScope(scope, name)).map(([, board]) => board);
  }

  #add(key: string, event: CheckEvent, since: number): void {
    const namespace = key.slice(0, key.indexOf('/'));
    const silenced = this.#silencesOf(event);
    const targets = targetKeys(namespace, event);
    this.#note(key, wasNew);
    const entry: EventEntry = {
      key,
      namespace,
      event,
      rank: rankOf(event),
      since,
      silenced,
      targets,
      masked: noMasks,
      masks: 0,
      seq: this.#seq,
    };
    this.#entries.set(key, entry);
    this.#names.add(entry);
    const board = this.#boardOf(namespace);
    board.byUrgency.add(entry);
    count(board, entry, 1);
    this.#countCheck(entry, 1);
    const isMoved = this.#graph.set(key, targets);
    this.#mask(key);
    if (isMoved || isDown(event.check)) this.#remasking.begin(namespace, key);
  }

  #update(entry: EventEntry, event: CheckEvent, kept: number | null | undefined): void {
    const silenced = this.#silencesOf(event);
    this.#changed(entry);
    const wasDown = isDown(entry.event.check);
    const couldBeMasked = entry.event.check.status !== 0;
    entry.event = event;
    const targets = targetKeys(entry.namespace, event);
    entry.targets = targets;
    const isMoved = this.#graph.set(entry.key, targets);
    this.#rank(entry, event, silenced, kept);
    if (targets.length > 0 || isMoved) if (couldBeMasked || event.check.status !== 0) this.#mask(entry.key);
    if (isMoved || wasDown !== isDown(event.check)) this.#remasking.begin(entry.namespace, entry.key);
  }

  #rank(
    entry: EventEntry,
    event: CheckEvent,
    silenced: readonly string[],
    kept: number | null | undefined,
  ): void {
    const rank = rankOf(event);
    // Most results are like the one before: they move nothing.
    const since = kept ?? (rank === entry.rank ? entry.since : event.check.executed || event.timestamp);
    const moves = rank !== entry.rank || since !== entry.since;
    if (!moves && isSame(silenced, entry.silenced)) return;
    const board = this.#boardOf(entry.namespace);
    count(board, entry, -1);
    entry.silenced = silenced;
    if (moves) {
      board.byUrgency.remove(entry);
      entry.rank = rank;
      entry.since = since;
      board.byUrgency.add(entry);
    }
    count(board, entry, 1);
  }

  #remove(entry: EventEntry): void {
    this.#changed(entry);
    this.#entries.delete(entry.key);
    this.#names.remove(entry);
    const board = this.#boardOf(entry.namespace);
    count(board, entry, -1);
    board.byUrgency.remove(entry);
    if (board.byUrgency.size === 0) this.#boards.delete(entry.namespace);
    this.#countCheck(entry, -1);
    for (const parent of entry.masked) {
      parent.masks -= 1;
      this.#touch(parent);
    }
    entry.masked = noMasks;
    const isMoved = this.#graph.set(entry.key, noKeys);
    if (isMoved || isDown(entry.event.check)) this.#remasking.begin(entry.namespace, entry.key);
  }

  #countCheck({ namespace, event }: EventEntry, by: 1 | -1): void {
    const name = `${namespace}/${event.check.metadata.name}`;
    const count = (this.#ofCheck.get(name) ?? 0) + by;
    if (count === 0) this.#ofCheck.delete(name);
    else this.#ofCheck.set(name, count);
  }

  #isDown(key: string): boolean {
    const entry = this.#entries.get(key);
    return entry !== undefined && isDown(entry.event.check);
  }

  #masksOf(key: string, { check }: CheckEvent, targets: readonly string[]): readonly EventEntry[] {
    if (targets.length === 0 || check.status === 0) return noMasks;
    const keys = this.#graph.masks(key, targets);
    return keys.length === 0 ? noMasks : keys.flatMap((each) => this.#entries.get(each) ?? []);
  }

  /** Marks one event with its masks of now. Its old and new masks are told of at once, or put among the touched. */
  #mask(key: string, touched?: Set<EventEntry>): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const masked = this.#masksOf(key, entry.event, entry.targets);
    if (isSame(masked, entry.masked)) return;
    this.#changed(entry);
    for (const parent of entry.masked) parent.masks -= 1;
    for (const parent of masked) parent.masks += 1;
    for (const parent of new Set([...entry.masked, ...masked]))
      if (touched === undefined) this.#touch(parent);
      else touched.add(parent);
    const board = this.#boardOf(entry.namespace);
    count(board, entry, -1);
    entry.masked = masked;
    count(board, entry, 1);
  }

  /** The number of events that it masks is another one. */
  #touch(entry: EventEntry): void {
    if (this.#entries.get(entry.key) === entry) this.#changed(entry);
  }

  #changed(entry: EventEntry): void {
    const marks = (entry.silenced.length > 0 ? 1 : 0) + (entry.masked.length > 0 ? 2 : 0);
    this.#note(entry.key, entry.rank * 4 + marks);
    entry.seq = this.#seq;
  }

  /** `from`: rank, silence and mask before it in one number, or `wasNew`. */
  #note(key: string, from: number): void {
    this.#seq += 1;
    this.#changedKeys[this.#seq % keptChanges] = key;
    this.#changedFrom[this.#seq % keptChanges] = from;
  }

  #change(seq: number): Change {
    const key = this.#changedKeys[seq % keptChanges] ?? '';
    const from = this.#changedFrom[seq % keptChanges] ?? wasNew;
    const before =
      from === wasNew ? undefined : { rank: from >> 2, silenced: (from & 1) > 0, masked: (from & 2) > 0 };
    return { seq, key, before };
  }

  #silencesOf(event: CheckEvent): readonly string[] {
    return this.#ports.silencesMatching(event, Math.floor(this.#ports.nowMs() / 1000));
  }

  async #remark(namespace: string, pass: { again: boolean }): Promise<void> {
    do {
      // Silences often change together: all of a turn are seen to at once.
      await turn();
      pass.again = false;
      const keys = [...this.named(`${namespace}/`, undefined)].map(({ key }) => key);
      for (const [index, key] of keys.entries()) {
        const entry = this.#entries.get(key);
        if (entry !== undefined) this.#mark(entry);
        if (index % remarkedPerTurn === remarkedPerTurn - 1) await turn();
      }
    } while (pass.again);
  }

  #mark(entry: EventEntry): void {
    const silenced = this.#silencesOf(entry.event);
    if (isSame(silenced, entry.silenced)) return;
    this.#changed(entry);
    const board = this.#boardOf(entry.namespace);
    count(board, entry, -1);
    entry.silenced = silenced;
    count(board, entry, 1);
  }

  #boardOf(namespace: string): Board {
    const known = this.#boards.get(namespace);
    if (known !== undefined) return known;
    const board = emptyBoard();
    this.#boards.set(namespace, board);
    return board;
  }
}

const emptyBoard = (): Board => ({
  byUrgency: new SortedList(byUrgency),
  all: noCounts(),
  silenced: noCounts(),
  masked: noCounts(),
  both: noCounts(),
});

const targetKeys = (namespace: string, event: CheckEvent): readonly string[] => {
  const targets = targetsOf(event);
  return targets.length === 0 ? noKeys : targets.map((target) => `${namespace}/${target}`);
};

const isSame = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a === b || (a.length === b.length && a.every((name, index) => name === b[index]));

const count = (board: Board, { rank, silenced, masked }: EventEntry, by: 1 | -1): void => {
  const [isSilenced, isMasked] = [silenced.length > 0, masked.length > 0];
  board.all[rank] = (board.all[rank] ?? 0) + by;
  if (isSilenced) board.silenced[rank] = (board.silenced[rank] ?? 0) + by;
  if (isMasked) board.masked[rank] = (board.masked[rank] ?? 0) + by;
  if (isSilenced && isMasked) board.both[rank] = (board.both[rank] ?? 0) + by;
};

const named = (counts: readonly number[]): Counts =>
  Object.fromEntries(severities.map((severity, rank) => [severity, counts[rank] ?? 0])) as unknown as Counts;
