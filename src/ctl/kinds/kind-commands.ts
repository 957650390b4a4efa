// What the commands of one kind of resource are made from: a row in a table. The generic commands list, info, create, update
// and delete read it; the check's `set-*` and `remove-*` follow from its fields.
import type { Json } from '../client/api-client.ts';
import type { FlagSpec } from '../command.ts';

export type Cell = (resource: Json) => string;

export interface Column {
  readonly title: string;
  readonly cell: Cell;
}

/** A flag that sets one field of a resource. */
export interface Field {
  readonly flag: FlagSpec;
  /** Where the value goes, e.g. `spec.id`. */
  readonly path: string;
  readonly type: 'text' | 'list' | 'integer' | 'switch';
  /** Set on create when the flag is not given. */
  readonly otherwise?: unknown;
  /** Asked for on a terminal when it is not given. */
  readonly asked?: true;
}

export interface KindCommands {
  /** e.g. `check` or `secret provider`. */
  readonly words: readonly string[];
  /** The path segment of its address. */
  readonly path: string;
  readonly columns: readonly Column[];
  /** The detail view; the name when left out. */
  readonly title?: Cell;
  readonly rows?: readonly Column[];
  readonly fields?: readonly Field[];
  readonly verbs: readonly ('list' | 'info' | 'create' | 'update' | 'delete')[];
  /** The name of a resource, for the detail view and for questions. */
  readonly name: Cell;
  /** Where a name given on the command line goes; absent: `metadata.name`. */
  readonly namePath?: string;
  /** What a name is, when it has several parts. */
  readonly nameArgs?: readonly string[];
  /** What follows from a change of the fields at these paths. */
  readonly follow?: (resource: Json, changed: ReadonlySet<string>) => void;
  /** Last touches of a new resource. Throws a CtlError that says what is missing. */
  readonly complete?: (resource: Json, given: Readonly<Record<string, unknown>>) => void;
}

export const column = (title: string, cell: Cell): Column => ({ title, cell });

const field = (type: Field['type'], path: string, flag: FlagSpec, more: Partial<Field> = {}): Field => ({
  flag,
  path,
  type,
  ...more,
});

const named = (
  name: string,
  short: string | undefined,
  value: string | undefined,
  help: string,
): FlagSpec => ({
  name,
  ...(short === undefined ? {} : { short }),
  ...(value === undefined ? {} : { value }),
  help,
});

export const textField = (
  path: string,
  name: string,
  short: string | undefined,
  help: string,
  more?: Partial<Field>,
): Field => field('text', path, named(name, short, 'text', help), more);
export const integerField = (
  path: string,
  name: string,
  short: string | undefined,
  help: string,
  more?: Partial<Field>,
): Field => field('integer', path, named(name, short, 'number', help), more);
export const switchField = (
  path: string,
  name: string,
  short: string | undefined,
  help: string,
  more?: Partial<Field>,
): Field => field('switch', path, named(name, short, undefined, help), more);
export const listField = (
  path: string,
  name: string,
  short: string | undefined,
  help: string,
  more?: Partial<Field>,
): Field => field('list', path, { ...named(name, short, 'list', help), list: true }, more);
/** Items with commas in them, as expressions and variables have. */
export const wholeListField = (
  path: string,
  name: string,
  short: string | undefined,
  help: string,
  more?: Partial<Field>,
): Field => field('list', path, { ...named(name, short, 'text', help), whole: true }, more);
