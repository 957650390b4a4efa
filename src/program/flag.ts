// Defines one setting of a program: its type, limits and description. Each program has one table; command line,
// environment, YAML file, defaults and help are derived from it.

interface FlagBase {
  readonly help: string;
  /** Shown in the help if the value format is not obvious. */
  readonly example?: string;
  /** An alternative name. Using a `deprecated` one logs a warning. */
  readonly alias?: { readonly name: string; readonly deprecated: boolean };
  readonly short?: string;
  /** Shown instead of a default that depends on the machine. */
  readonly defaultWords?: string;
  /** Never shown, not even as a default. */
  readonly secret?: boolean;
}
export type TextFlag = FlagBase & {
  readonly kind: 'text';
  readonly default: string;
  readonly choices?: readonly string[];
};
export type IntegerFlag = FlagBase & {
  readonly kind: 'integer';
  readonly default: number;
  readonly min: number;
  readonly max: number;
};
export type DecimalFlag = FlagBase & {
  readonly kind: 'number';
  readonly default: number;
  readonly min: number;
};
export type SwitchFlag = FlagBase & { readonly kind: 'boolean'; readonly default: boolean };
export type ListFlag = FlagBase & { readonly kind: 'list'; readonly default: readonly string[] };
export type MapFlag = FlagBase & {
  readonly kind: 'map';
  readonly default: Readonly<Record<string, string>>;
  readonly keyPattern?: RegExp;
};
/** A duration in milliseconds, written `1s`, `2m30s`, `300ms`. */
export type DurationFlag = FlagBase & { readonly kind: 'duration'; readonly default: number };
export type Flag = TextFlag | IntegerFlag | DecimalFlag | SwitchFlag | ListFlag | MapFlag | DurationFlag;
export type FlagTable = Readonly<Record<string, Flag>>;

const maxInteger = 2_147_483_647;

export const text = (value: string, help: string, more: Partial<TextFlag> = {}): TextFlag => ({
  kind: 'text',
  default: value,
  help,
  ...more,
});
export const integer = (value: number, help: string, more: Partial<IntegerFlag> = {}): IntegerFlag => ({
  kind: 'integer',
  default: value,
  help,
  min: 0,
  max: maxInteger,
  ...more,
});
export const port = (value: number, help: string): IntegerFlag => integer(value, help, { max: 65_535 });
export const decimal = (value: number, help: string, min = 0): DecimalFlag => ({
  kind: 'number',
  default: value,
  help,
  min,
});
export const toggle = (help: string): SwitchFlag => ({ kind: 'boolean', default: false, help });
export const list = (value: readonly string[], help: string, example: string): ListFlag => ({
  kind: 'list',
  default: value,
  help,
  example,
});
export const pairs = (help: string, example: string, keyPattern?: RegExp): MapFlag => ({
  kind: 'map',
  default: {},
  help,
  example,
  ...(keyPattern === undefined ? {} : { keyPattern }),
});
export const duration = (valueMs: number, help: string): DurationFlag => ({
  kind: 'duration',
  default: valueMs,
  help,
});

type ValueOf<F extends Flag> = F extends TextFlag
  ? string
  : F extends IntegerFlag | DecimalFlag | DurationFlag
    ? number
    : F extends SwitchFlag
      ? boolean
      : F extends ListFlag
        ? readonly string[]
        : Readonly<Record<string, string>>;
type Camel<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;

/** The settings of a program: one camelCase field per flag. */
export type SettingsOf<T extends FlagTable> = {
  readonly [Name in keyof T & string as Camel<Name>]: ValueOf<T[Name]>;
};

export const fieldName = (name: string): string =>
  name.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
