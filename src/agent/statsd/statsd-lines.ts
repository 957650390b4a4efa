// Parses StatsD lines: `<name>:<value>|<type>[|@<rate>][|#<tags>]`. Pure.

type SampleKind = 'counter' | 'gauge' | 'timer' | 'set';

export interface Tag {
  readonly name: string;
  readonly value: string;
}

export interface Sample {
  readonly kind: SampleKind;
  readonly name: string;
  /** Sorted, since they are part of the series key. */
  readonly tags: readonly Tag[];
  readonly value: number;
  /** The original text: sets count distinct texts. */
  readonly text: string;
}

const kinds: Readonly<Record<string, SampleKind>> = {
  c: 'counter',
  g: 'gauge',
  ms: 'timer',
  h: 'timer',
  s: 'set',
};

const cleanName = (name: string): string =>
  name
    .replaceAll('/', '-')
    .replace(/[ \t]/g, '_')
    .replace(/[^A-Za-z0-9._-]/g, '');

/** `a:b:c` is name a, value b; a tag without a colon has no value. */
const parseTag = (text: string): Tag => {
  const [name = '', value = ''] = text.split(':');
  return { name, value };
};

const byName = (a: Tag, b: Tag) =>
  a.name === b.name ? (a.value < b.value ? -1 : 1) : a.name < b.name ? -1 : 1;

const numberOf = (text: string): number =>
  /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;

interface Extras {
  readonly rate: number;
  readonly tags: readonly Tag[];
}

const parseExtras = (parts: readonly string[]): Extras | null => {
  let rate = 1;
  let tags: readonly Tag[] = [];
  for (const part of parts) {
    if (part.startsWith('@')) rate = numberOf(part.slice(1));
    else if (part.startsWith('#'))
      tags = part
        .slice(1)
        .split(',')
        .filter((tag) => tag !== '')
        .map(parseTag);
    else return null;
  }
  return rate > 0 ? { rate, tags } : null;
};

/** Null for an invalid line. `source` is the sender's address, added as the last tag. */
export const parseLine = (line: string, source: string): Sample | null => {
  if (line.includes('\r')) return null;
  const colon = line.indexOf(':');
  const name = cleanName(line.slice(0, Math.max(colon, 0)));
  const [text = '', type = '', ...more] = line.slice(colon + 1).split('|');
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  const extras = parseExtras(more);
  if (name === '' || text === '' || kind === undefined || extras === null) return null;
  const value = kind === 'set' ? 0 : numberOf(text);
  if (Number.isNaN(value)) return null;
  return {
    kind,
    name,
    tags: [...extras.tags].sort(byName).concat({ name: 's', value: source }),
    value: kind === 'counter' ? Math.trunc(value / extras.rate) : value,
    text,
  };
};

/** Datadog events: recognized, but not forwarded. */
export const isStatsdEvent = (line: string): boolean => line.startsWith('_e{');

/** The lines of a datagram, without an empty last one. */
export const splitLines = (text: string): string[] => {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
};
