// Values in templates: plain JSON data with the formatting and truth rules of Go templates.

type Map = Readonly<Record<string, unknown>>;

/** The value of a missing key. Printing it is an error; testing it (`if`, `default`) is not. */
export class Missing {
  /** Builds the full error message; null if the missing key is unknown (an index). */
  readonly tell: (() => string) | null;
  constructor(tell: (() => string) | null) {
    this.tell = tell;
  }
}

/** Thrown by functions: an error of the template's author. */
export class ValueError extends Error {}

export const isAbsent = (value: unknown): boolean =>
  value === undefined || value === null || value instanceof Missing;

export const isMap = (value: unknown): value is Map =>
  value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Missing);

export const isTruthy = (value: unknown): boolean => {
  if (isAbsent(value) || value === false || value === 0 || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return isMap(value) ? Object.keys(value).length > 0 : true;
};

/** Keys in the order that templates iterate. */
export const sortedKeys = (map: Map): readonly string[] => Object.keys(map).sort();

/** `1e-05` for small and `1e+21` for large numbers, plain digits otherwise. */
export const formatNumber = (value: number): string => {
  const small = value !== 0 && Math.abs(value) < 1e-4;
  const plain = small ? value.toExponential() : String(value);
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  return plain
    .replace('Infinity', value > 0 ? '+Inf' : 'Inf')
    .replace(/e([+-])(\d)$/, (_, sign, digit) => `e${sign}0${digit}`);
};

/** Printed form: `[a b]`, `map[k:v]` sorted by key, `true`. */
export const formatValue = (value: unknown): string => {
  if (isAbsent(value)) return '<nil>';
  if (typeof value === 'number') return formatNumber(value);
  if (Array.isArray(value)) return `[${value.map(formatValue).join(' ')}]`;
  if (!isMap(value)) return String(value);
  return `map[${sortedKeys(value)
    .map((key) => `${key}:${formatValue(value[key])}`)
    .join(' ')}]`;
};

/** The type name used in error messages. */
export const typeName = (value: unknown): string => {
  if (isAbsent(value)) return 'nil';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return '[]interface {}';
  return isMap(value) ? 'map[string]interface {}' : 'string';
};
