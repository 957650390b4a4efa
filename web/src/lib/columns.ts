// The columns of the list of events: those one sees at first, and those to choose. What is chosen is in the address, so that
// a saved view has it, and is kept in this browser for the next visit.
import { signal } from '@preact/signals';

export const allColumns = [
  ['namespace', 'Namespace'],
  ['output', 'Output'],
  ['tags', 'Tags'],
  ['history', 'History'],
  ['owner', 'Owner'],
  ['occurrences', 'In a row'],
  ['class', 'Class'],
  ['subscriptions', 'Subscriptions'],
  ['handlers', 'Handlers'],
  ['interval', 'Interval'],
  ['last', 'Last result'],
  ['lastOk', 'Last passed'],
  ['since', 'Since'],
] as const;

export type Column = (typeof allColumns)[number][0];

const first: readonly Column[] = ['output', 'tags', 'history', 'since'];

const widths: Readonly<Record<Column, string>> = {
  namespace: 'minmax(70px, 130px)',
  output: 'minmax(110px, 1fr)',
  tags: 'auto',
  history: '105px',
  owner: '110px',
  occurrences: '70px',
  class: '70px',
  subscriptions: 'minmax(80px, 190px)',
  handlers: 'minmax(80px, 160px)',
  interval: '60px',
  last: '84px',
  lastOk: '84px',
  since: '84px',
};

const storageKey = 'mon.columns';
const chosen = signal(localStorage.getItem(storageKey) ?? '');

const read = (text: string): readonly Column[] => {
  const named = text.split(',');
  return allColumns.map(([column]) => column).filter((column) => named.includes(column));
};

/** `asked`: what the address says. In a list of all namespaces each row names its own. */
export const columnsFrom = (asked: string, isOfAll: boolean): readonly Column[] => {
  const found = read(asked || chosen.value);
  const columns = found.length === 0 ? first : found;
  return isOfAll && !columns.includes('namespace') ? ['namespace', ...columns] : columns;
};

/** Keeps the choice, and answers with what the address says of it: nothing, where it is as at first. */
export const keepColumns = (columns: readonly Column[]): string => {
  const text = columns.join() === first.join() ? '' : read(columns.join()).join();
  localStorage.setItem(storageKey, text);
  chosen.value = text;
  return text;
};

/** Of a CSS grid. Without the column that takes what is left, the name does. */
export const gridOf = (columns: readonly Column[]): string => {
  const name = columns.includes('output') ? 'minmax(150px, 260px)' : 'minmax(150px, 1fr)';
  // A head is a grid of its own: nothing may be as wide as its text.
  const width = (column: Column): string =>
    column === 'tags' && needsHead(columns) ? '90px' : widths[column];
  return ['15px', '100px', name, ...columns.map(width)].join(' ');
};

/** Columns beyond the first ones need a head. */
export const needsHead = (columns: readonly Column[]): boolean =>
  columns.some((column) => column !== 'namespace' && !first.includes(column));
