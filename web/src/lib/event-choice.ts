// The cursor of the list of events, and what is chosen: some rows, or everything that matches, on the screen or not.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { EventRow } from '../../../src/http/inspect/events/protocol.ts';
import { readPage } from './event-feed.ts';
import { type EventItem, rowsIn } from './event-items.ts';
import type { KeyOf } from './event-key.ts';
import type { EventFilter } from './event-query.ts';

type Choice = { readonly type: 'rows'; readonly keys: ReadonlySet<string> } | { readonly type: 'whole' };
const nothing: Choice = { type: 'rows', keys: new Set() };

/** At most so many are dealt with in one go. */
const mostAtOnce = 10_000;
const rowsAPage = 1_000;

const readWhole = async (filter: EventFilter): Promise<readonly EventRow[]> => {
  const rows: EventRow[] = [];
  let next: string | undefined;
  do {
    const page = await readPage(filter, rowsAPage, next);
    rows.push(...page.items);
    next = page.next;
  } while (next !== undefined && rows.length < mostAtOnce);
  return rows;
};

/** Where the cursor stands: at a line, and where that was, should it go away. */
interface Cursor {
  readonly line: string;
  readonly index: number;
}

export interface EventChoice {
  readonly atIndex: number;
  readonly isWhole: boolean;
  readonly selected: readonly EventRow[];
  isChosen(row: EventRow): boolean;
  /** Whether everything is chosen, as it is when a key is pressed, drawn or not; so with what follows. */
  isAllChosen(): boolean;
  itemAtCursor(): EventItem | undefined;
  choose(keys: Iterable<string>): void;
  chooseWhole(): void;
  clear(): void;
  toggle(row: EventRow): void;
  move(by: number): void;
  /** The chosen ones; without a choice the one the cursor is at. */
  targets(): Promise<readonly EventRow[]>;
}

export const useEventChoice = (
  filter: EventFilter,
  items: readonly EventItem[],
  nameOf: KeyOf,
): EventChoice => {
  const choice = useSignal<Choice>(nothing);
  const cursor = useSignal<Cursor>({ line: '', index: 0 });
  const shown = useRef(items);
  shown.current = items;
  useEffect(() => {
    cursor.value = { line: '', index: 0 };
    choice.value = nothing;
  }, [JSON.stringify(filter)]);

  const cursorIndex = (): number => {
    const { line, index } = cursor.peek();
    const found = shown.current.findIndex((item) => item.line === line);
    return found >= 0 ? found : Math.max(0, Math.min(index, shown.current.length - 1));
  };
  const choose = (keys: Iterable<string>): void => {
    choice.value = { type: 'rows', keys: new Set(keys) };
  };
  const isChosen = (row: EventRow): boolean =>
    choice.value.type === 'whole' || choice.value.keys.has(nameOf(row));
  const itemAtCursor = (): EventItem | undefined => shown.current[cursorIndex()];
  void cursor.value;
  return {
    atIndex: cursorIndex(),
    isWhole: choice.value.type === 'whole',
    selected: rowsIn(items).filter(isChosen),
    isChosen,
    isAllChosen: () => choice.peek().type === 'whole',
    itemAtCursor,
    choose,
    chooseWhole: () => {
      choice.value = { type: 'whole' };
    },
    clear: () => {
      choice.value = nothing;
    },
    // Called by rows that were drawn long ago: looks at what is chosen and shown now.
    toggle(row) {
      const now = choice.peek();
      const keys = new Set(now.type === 'rows' ? now.keys : rowsIn(shown.current).map(nameOf));
      if (!keys.delete(nameOf(row))) keys.add(nameOf(row));
      choose(keys);
    },
    move(by) {
      const index = Math.max(0, Math.min(shown.current.length - 1, cursorIndex() + by));
      cursor.value = { line: shown.current[index]?.line ?? '', index };
    },
    async targets() {
      const now = choice.peek();
      if (now.type === 'whole') return readWhole(filter);
      const chosen = rowsIn(shown.current).filter((row) => now.keys.has(nameOf(row)));
      if (chosen.length > 0) return chosen;
      const at = itemAtCursor();
      return at?.type === 'event' ? [at.event] : [];
    },
  };
};
