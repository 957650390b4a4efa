// A list of rows of one height, of which only those near the screen exist: fifty thousand rows cost what fifty do.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows kept above and below what is seen, so that scrolling finds them there. */
const spareRows = 12;
/** So many rows before the end, more are asked for. */
const nearEndRows = 80;
const guessedHeightPx = 40;

interface Props<T> {
  readonly items: readonly T[];
  readonly class: string;
  readonly row: (item: T, index: number) => ComponentChildren;
  /** The row that must be seen; moving it scrolls to it. */
  readonly reveal?: number;
  readonly onNearEnd?: () => void;
}

interface Window {
  readonly from: number;
  readonly to: number;
}

/** Scrolls with the page. `row` gives an `li`. */
export const VirtualList = <T,>({ items, class: name, row, reveal, onNearEnd }: Props<T>) => {
  const holder = useRef<HTMLUListElement>(null);
  const height = useRef(guessedHeightPx);
  const [seen, setSeen] = useState<Window>({ from: 0, to: 40 });
  const count = items.length;
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
  useEffect(() => {
    if (seen.to + nearEndRows >= count) onNearEnd?.();
  }, [seen.to, count]);
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current && reveal !== undefined) scrollToRow(holder.current, reveal, height.current);
    isFirst.current = false;
  }, [reveal]);
  const from = Math.min(seen.from, Math.max(0, count - 1));
  const to = Math.min(seen.to, count);
  return (
    <ul
      ref={holder}
      class={name}
      style={{
        paddingTop: `${from * height.current}px`,
        paddingBottom: `${(count - Math.max(from, to)) * height.current}px`,
      }}
    >
      {items.slice(from, to).map((item, index) => row(item, from + index))}
    </ul>
  );
};

/** No farther than needed. */
const scrollToRow = (list: HTMLElement | null, index: number, height: number): void => {
  const top = (list?.getBoundingClientRect().top ?? 0) + index * height;
  if (top < 0) scrollBy({ top: top - height });
  else if (top + height > innerHeight - height) scrollBy({ top: top + 2 * height - innerHeight });
};
