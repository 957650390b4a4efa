// Token trust: decides which entity values may be inserted into a command. A shell parses the command, and the
// position of the token is unknown: bare, in quotes, in a script inside quotes, for `sh` or for `cmd`. No quoting
// is correct for all of them, so a value that arrived with an event is rejected unless no shell interprets any of
// its characters as syntax.

/** The path of a value: `labels`, `url`. List items share the path of the list. */
export type ValuePath = readonly string[];

/**
 * Whether a value may be inserted into a command regardless of its characters: an operator wrote it, or it comes
 * from this machine.
 */
export type IsTrusted = (path: ValuePath, value: string) => boolean;

/** On a check or hook: its author accepts any value in the command, unchanged. */
export const trustAnnotation = 'mon.io/trust_token_values';

/**
 * Letters and digits of any script, and characters without a meaning to shells. A leading dash is not allowed,
 * since it would be read as an option.
 */
const harmless = /^(?!-(?!\d))[\p{L}\p{N}_./:@+,=?-]*$/u;

export const isHarmless = (value: string): boolean => harmless.test(value);

/** The requested value may not be inserted into a command. */
export class UntrustedValue extends Error {
  constructor(path: ValuePath) {
    super(
      `the value of .${path.join('.')} came with an event and contains characters that a shell may read as syntax, so it is not put into a command. ` +
        'Pass it in env_vars ("URL={{ .labels.url }}", then "$URL" in the command), have an operator write the entity (PUT), ' +
        `or set the annotation ${trustAnnotation}: "true"`,
    );
    this.name = 'UntrustedValue';
  }
}

const guardedValue = (value: unknown, path: ValuePath, isTrusted: IsTrusted): unknown => {
  if (Array.isArray(value)) {
    const items = value.map((item) => guardedValue(item, path, isTrusted));
    return items;
  }
  if (value === null || typeof value !== 'object') return value;
  const guarded: Record<string, unknown> = {};
  for (const [key, inner] of Object.entries(value)) {
    const place = [...path, key];
    const isBad = (text: unknown) => typeof text === 'string' && !isHarmless(text) && !isTrusted(place, text);
    // Keys can be printed as well, so unsafe keys are not enumerable.
    const enumerable = isHarmless(key) || typeof inner !== 'string' || isTrusted(place, inner);
    if (isBad(inner) || (Array.isArray(inner) && inner.some(isBad)))
      Object.defineProperty(guarded, key, {
        enumerable,
        get: () => {
          throw new UntrustedValue(place);
        },
      });
    else Object.defineProperty(guarded, key, { enumerable, value: guardedValue(inner, place, isTrusted) });
  }
  return guarded;
};

/** The same data, but reading a value that may not be inserted into a command throws UntrustedValue. */
export const guarded = (
  data: Readonly<Record<string, unknown>>,
  isTrusted: IsTrusted,
): Readonly<Record<string, unknown>> => guardedValue(data, [], isTrusted) as Record<string, unknown>;

const placed = (path: ValuePath, value: string): string => JSON.stringify([path, value]);

/** Trusts values that are equal to the value at the same path of trusted data. */
export const sameAs = (data: Readonly<Record<string, unknown>>): IsTrusted => {
  const known = new Set<string>();
  const note = (value: unknown, path: ValuePath): void => {
    if (typeof value === 'string') known.add(placed(path, value));
    else if (Array.isArray(value)) for (const item of value) note(item, path);
    else if (value !== null && typeof value === 'object')
      for (const [key, inner] of Object.entries(value)) note(inner, [...path, key]);
  };
  note(data, []);
  return (path, value) => known.has(placed(path, value));
};
