// What the commands of one kind of resource are made from: a row in a table. The generic commands list, info, create, update
// and delete read it; the check's `set-*` and `remove-*` follow from its fields.
import type { Json } from '../client/api-client.ts';
import type { FlagSpec } from '../command.ts';
import { text } from '../output/values.ts';
import { type Cell, commonCells } from './cells.ts';

interface Column {
  readonly title: string;
  readonly cell: Cell;
}

/** A flag that sets one field of a resource. */
export interface Field {
  readonly flag: FlagSpec;
  /** Where the value goes, e.g. `spec.id`; empty where `complete` puts it. */
  readonly path: string;
  readonly type: 'text' | 'list' | 'integer' | 'seconds' | 'switch';
  /** Set on create when the flag is not given. */
  readonly otherwise?: unknown;
  /** Asked for on a terminal when it is not given. */
  readonly asked?: true;
}

export type Verb = 'list' | 'info' | 'create' | 'update' | 'delete';

export interface KindCommands {
  /** e.g. `check` or `secret provider`. */
  readonly words: readonly string[];
  /** The path segment of its address. */
  readonly path: string;
  readonly columns: readonly Column[];
  /** The detail view; the name when left out. */
  readonly title?: Cell;
  readonly rows: readonly Column[];
  /** What has several rows in the table of a list; absent: each has one. */
  readonly split?: (resource: Json) => readonly Json[];
  readonly fields: readonly Field[];
  readonly verbs: readonly Verb[];
  /** The name of a resource, for the detail view and for questions. */
  readonly name: Cell;
  /** Where a name given on the command line goes; absent: `metadata.name`. */
  readonly namePath?: string;
  /** What a name is, when it has several parts. */
  readonly nameArgs?: readonly string[];
  /** What examples are called and given, e.g. `disk -c check-disk.sh -i 60`. */
  readonly example: { readonly name: string; readonly create?: string; readonly update?: string };
  /** What follows from a change of the fields at these paths. */
  readonly follow?: (resource: Json, changed: ReadonlySet<string>) => void;
  /** Last touches of a new resource. Throws a CtlError that says what is missing. */
  readonly complete?: (resource: Json, given: Readonly<Record<string, unknown>>) => void;
}

/** `type flag[,short]`, the help, and what is unusual. The value goes to the field called like the flag, with `_` for `-`. */
export type FieldRow = readonly [
  what: `${Field['type'] | 'whole-list'} ${string}`,
  help: string,
  more?: Partial<Pick<Field, 'path' | 'otherwise' | 'asked'>>,
];

const valueWords: Readonly<Record<string, string>> = {
  text: 'text',
  integer: 'number',
  seconds: 'duration',
  list: 'list',
  'whole-list': 'text',
};

const fieldOf = ([what, help, more = {}]: FieldRow): Field => {
  const [type = '', names = ''] = what.split(' ');
  const [name = '', short] = names.split(',');
  const value = valueWords[type];
  return {
    flag: {
      name,
      ...(short === undefined ? {} : { short }),
      ...(value === undefined ? {} : { value }),
      ...(type === 'list' ? { list: true } : {}),
      ...(type === 'whole-list' ? { whole: true } : {}),
      help,
    },
    path: name.replaceAll('-', '_'),
    type: type === 'whole-list' ? 'list' : (type as Field['type']),
    ...more,
  };
};

/** A row of the table of kinds. Titles are those of `commonCells` and of its own `cells`. */
export interface KindRow extends Omit<KindCommands, 'columns' | 'rows' | 'fields' | 'name'> {
  readonly columns: readonly string[];
  /** The same as `columns` when left out. */
  readonly rows?: readonly string[];
  readonly fields?: readonly FieldRow[];
  readonly cells?: Readonly<Record<string, Cell>>;
  readonly name?: Cell;
}

export const defineKind = (row: KindRow): KindCommands => {
  const column = (title: string): Column => {
    const cell = row.cells?.[title] ?? commonCells[title];
    if (cell === undefined) throw new Error(`${row.words.join(' ')}: no cell is called "${title}"`);
    return { title, cell };
  };
  return {
    ...row,
    name: row.name ?? text('metadata.name'),
    columns: row.columns.map(column),
    rows: (row.rows ?? row.columns).map(column),
    fields: (row.fields ?? []).map(fieldOf),
  };
};
