// Every event as it was last committed, in order of name and in order of urgency, with its silences of now: what lists are
// read from. Fed by the one writer after each commit, so a reader never sees what a crash could take back; a list of
// fifty thousand is neither read from the store nor sorted when somebody looks.
//
// It has no subscribers: each change has a sequence number, and readers ask for the changes after one.
import { type Severity, severities, sinceInHistory } from '../../machines/check/severity-rule.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import { byName, byUrgency, type EventEntry, rankOf, type Standing } from './event-entry.ts';
import { type EventScope, isInScope } from './event-scope.ts';
import { keptChanges, remarkedPerTurn } from './limits.ts';
import { mergeSorted, SortedList } from './sorted-list.ts';

type Counts = Readonly<Record<Severity, number>>;

/** How many events a namespace has of each severity, and how many of those are silenced. */
export interface EventCounts {
  readonly all: Counts;
  readonly silenced: Counts;
}

/** What was before one change: tells who saw the event whether it has left their view. */
export interface Change {
  readonly seq: number;
  readonly key: string;
  /** Undefined when the event is new. */
  readonly before: { readonly rank: number; readonly silenced: boolean } | undefined;
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
}

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
  #seq = 0;

  constructor(ports: EventIndexPorts) {
    this.#ports = ports;
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
    const sum = (of: 'all' | 'silenced'): Counts =>
      named(noCounts().map((_, rank) => boards.reduce((all, board) => all + (board[of][rank] ?? 0), 0)));
    return { all: sum('all'), silenced: sum('silenced') };
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

  /** Resolves when every event of the scope carries the silences known at the time of the call. */
  async settled(scope: EventScope): Promise<void> {
    for (const [namespace, { done }] of [...this.#remarking]) if (isInScope(scope, namespace)) await done;
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
    this.#note(key, wasNew);
    const entry: EventEntry = {
      key,
      namespace,
      event,
      rank: rankOf(event),
      since,
      silenced,
      seq: this.#seq,
    };
    this.#entries.set(key, entry);
    this.#names.add(entry);
    const board = this.#boardOf(namespace);
    board.byUrgency.add(entry);
    count(board, entry, 1);
  }

  #update(entry: EventEntry, event: CheckEvent, kept: number | null | undefined): void {
    const silenced = this.#silencesOf(event);
    this.#changed(entry);
    entry.event = event;
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
  }

  #changed(entry: EventEntry): void {
    this.#note(entry.key, entry.rank * 2 + (entry.silenced.length > 0 ? 1 : 0));
    entry.seq = this.#seq;
  }

  /** `from`: rank and silence before it in one number, or `wasNew`. */
  #note(key: string, from: number): void {
    this.#seq += 1;
    this.#changedKeys[this.#seq % keptChanges] = key;
    this.#changedFrom[this.#seq % keptChanges] = from;
  }

  #change(seq: number): Change {
    const key = this.#changedKeys[seq % keptChanges] ?? '';
    const from = this.#changedFrom[seq % keptChanges] ?? wasNew;
    const before = from === wasNew ? undefined : { rank: from >> 1, silenced: from % 2 === 1 };
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
    const board: Board = { byUrgency: new SortedList(byUrgency), all: noCounts(), silenced: noCounts() };
    this.#boards.set(namespace, board);
    return board;
  }
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((name, index) => name === b[index]));

const count = (board: Board, { rank, silenced }: EventEntry, by: 1 | -1): void => {
  board.all[rank] = (board.all[rank] ?? 0) + by;
  if (silenced.length > 0) board.silenced[rank] = (board.silenced[rank] ?? 0) + by;
};

const named = (counts: readonly number[]): Counts =>
  Object.fromEntries(severities.map((severity, rank) => [severity, counts[rank] ?? 0])) as unknown as Counts;
