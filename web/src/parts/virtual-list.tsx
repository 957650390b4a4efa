// Lists of rows of one height, of which only those near the screen exist: fifty thousand rows cost what fifty do. They
// scroll with the page.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows kept above and below what is seen, so that scrolling finds them there. */
const spareRows = 12;
/** So many rows before the end, more are asked for. */
const nearEndRows = 40;
const guessedHeightPx = 40;

interface RangeProps {
  readonly count: number;
  /** How many there are in all, drawn or not, read or not. */
  readonly total?: number | undefined;
  readonly class: string;
  /** The rows from a number up to another, which is left out: an `li` each. */
  readonly rows: (from: number, to: number) => ComponentChildren;
  /** The row that must be seen; moving it scrolls to it. */
  readonly reveal?: number | undefined;
  /** Told after other rows came into sight. */
  readonly onSeen?: (from: number, to: number) => void;
}

interface Seen {
  readonly from: number;
  readonly to: number;
}

export const VirtualRange = ({ count, total = count, class: name, rows, reveal, onSeen }: RangeProps) => {
  const holder = useRef<HTMLUListElement>(null);
  const height = useRef(guessedHeightPx);
  const [seen, setSeen] = useState<Seen>({ from: 0, to: 40 });
  const look = (): void => {
    const list = holder.current;
    if (list === null) return;
    const first = list.querySelector('li');
    if (first !== null) height.current = first.getBoundingClientRect().height || guessedHeightPx;
    const above = -list.getBoundingClientRect().top;
    const from = Math.max(0, Math.floor(above / height.current) - spareRows);
    const to = Math.ceil((above + innerHeight) / height.current) + spareRows;
    setSeen((now) => (now.from === from && now.to === to ? now : { from, to }));
  };
  useLayoutEffect(look, [count]);
  useEffect(() => {
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
    };
  }, []);
  const to = Math.min(seen.to, count);
  const from = Math.min(seen.from, to);
  useEffect(() => onSeen?.(from, to), [from, to, count]);
  useLayoutEffect(() => {
    // What stands in the document is a part: each row says which.
    const rowsThere = holder.current?.querySelectorAll(':scope > li') ?? [];
    for (const [index, row] of rowsThere.entries()) {
      row.setAttribute('aria-posinset', String(from + index + 1));
      row.setAttribute('aria-setsize', String(total));
    }
  });
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && reveal !== undefined) scrollToRow(holder.current, reveal, height.current);
    isFirst.current = false;
  }, [reveal]);
  return (
    <ul
      ref={holder}
      class={name}
      style={{
        paddingTop: `${from * height.current}px`,
        paddingBottom: `${(count - to) * height.current}px`,
      }}
    >
      {rows(from, to)}
    </ul>
  );
};

interface ListProps<T> extends Pick<RangeProps, 'class' | 'reveal' | 'total'> {
  readonly items: readonly T[];
  readonly row: (item: T, index: number) => ComponentChildren;
  readonly onNearEnd?: () => void;
}

/** The same, of a list that is there, and may be read on when its end comes near. */
export const VirtualList = <T,>({ items, class: name, reveal, row, onNearEnd, total }: ListProps<T>) => (
  <VirtualRange
    class={name}
    count={items.length}
    total={total}
    reveal={reveal}
    rows={(from, to) => items.slice(from, to).map((item, index) => row(item, from + index))}
    onSeen={(_from, to) => to + nearEndRows >= items.length && onNearEnd?.()}
  />
);

/** No farther than needed. */
const scrollToRow = (list: HTMLElement | null, index: number, height: number): void => {
  const top = (list?.getBoundingClientRect().top ?? 0) + index * height;
  if (top < 0) scrollBy({ top: top - height });
  else if (top + height > innerHeight - height) scrollBy({ top: top + 2 * height - innerHeight });
};
