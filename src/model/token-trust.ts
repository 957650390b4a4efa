// Token trust: which values of an entity may stand in a command. A command is read by a shell, and nothing here knows where in it
// a token stands: bare, in quotes, in a script inside quotes, for `sh` or for `cmd`. No way of quoting is right in all of
// them, so a value that came with an event is not quoted but refused, unless no shell would read any of it as syntax.

/** Names the place of a value: `labels`, `url`. Items of a list share the place of the list. */
export type ValuePath = readonly string[];

/** Whether a value may stand in a command whatever it holds: an operator wrote it, or it is from this machine. */
export type IsTrusted = (path: ValuePath, value: string) => boolean;

/** On a check or hook: its author takes any value into the command, as it stands. */
export const trustAnnotation = 'mon.io/trust_token_values';

/** Letters and digits of any script, and what no shell acts on. Not first a dash: that would be read as an option. */
const harmless = /^(?!-(?!\d))[\p{L}\p{N}_./:@+,=?-]*$/u;

export const isHarmless = (value: string): boolean => harmless.test(value);

/** The value that was asked for may not stand in a command. */
export class UntrustedValue extends Error {
  constructor(path: ValuePath) {
    super(
      `the value of .${path.join('.')} came with an event and holds characters that a shell may read as syntax, so it is not put into a command. ` +
        'Hand it over in env_vars ("URL={{ .labels.url }}", then "$URL" in the command), have an operator write the entity (PUT), ' +
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
    // A key can be printed as well; one that could do harm is not listed.
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

/** The same data, in which looking at a value that may not stand in a command throws UntrustedValue. */
export const guarded = (
  data: Readonly<Record<string, unknown>>,
  isTrusted: IsTrusted,
): Readonly<Record<string, unknown>> => guardedValue(data, [], isTrusted) as Record<string, unknown>;

const placed = (path: ValuePath, value: string): string => JSON.stringify([path, value]);

/** Trusts the values that stand at the same place of data which is trusted. */
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
