// The difference of two texts by lines: what stayed, came and went. Pure.

export interface DiffLine {
  readonly type: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** Longer texts are compared by what they begin and end with alone. */
const maxLines = 600;

export const diffLines = (before: string, now: string): readonly DiffLine[] => {
  const [old, fresh] = [before.split('\n'), now.split('\n')];
  let start = 0;
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start += 1;
  let end = 0;
  while (
    end < old.length - start &&
    end < fresh.length - start &&
    old[old.length - 1 - end] === fresh[fresh.length - 1 - end]
  )
    end += 1;
  const same = (texts: readonly string[]): DiffLine[] => texts.map((text) => ({ type: 'same', text }));
  return [
    ...same(fresh.slice(0, start)),
    ...middle(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end)),
    ...same(fresh.slice(fresh.length - end)),
  ];
};

const middle = (old: readonly string[], fresh: readonly string[]): readonly DiffLine[] => {
  const removed = (text: string): DiffLine => ({ type: 'removed', text });
  const added = (text: string): DiffLine => ({ type: 'added', text });
  if (old.length > maxLines || fresh.length > maxLines) return [...old.map(removed), ...fresh.map(added)];
  // How many lines the rest of both has in common, from each place on.
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1)
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      const row = common[i];
      if (row !== undefined)
        row[j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < fresh.length) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      lines.push({ type: 'same', text: fresh[j] ?? '' });
      i += 1;
      j += 1;
    } else if (j >= fresh.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(removed(old[i] ?? ''));
      i += 1;
    } else {
      lines.push(added(fresh[j] ?? ''));
      j += 1;
    }
  }
  return lines;
};
