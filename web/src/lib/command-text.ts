// What somebody types into the palette as an order: `silence web-01 for 1 h`, `ack disk`. Pure.

export const commandVerbs = ['silence', 'acknowledge', 'resolve', 'run'] as const;
type CommandVerb = (typeof commandVerbs)[number];

export interface Command {
  readonly verb: CommandVerb;
  /** What it is to be done to, as far as it was typed. */
  readonly target: string;
  /** For how long; undefined: not said. */
  readonly seconds: number | undefined;
}

const others: Readonly<Record<string, CommandVerb>> = { mute: 'silence', ack: 'acknowledge', rerun: 'run' };
const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** `ack` is short for one verb; a beginning that could be two is none. */
const verbOf = (word: string): CommandVerb | undefined => {
  const lower = word.toLowerCase();
  return (
    others[lower] ?? (lower.length < 3 ? undefined : commandVerbs.find((verb) => verb.startsWith(lower)))
  );
};

/** Undefined for what is no order. */
export const readCommand = (text: string): Command | undefined => {
  const [, word = '', rest = ''] = /^\s*(\S+)\s+(.*)$/.exec(text) ?? [];
  const verb = verbOf(word);
  if (verb === undefined) return undefined;
  const [, target = rest, count, unit] = /^(.*?)\s*\bfor\s+(\d+)\s*(m|h|d|w)[a-z]*\s*$/i.exec(rest) ?? [];
  const seconds = count === undefined ? undefined : Number(count) * (units[(unit ?? '').toLowerCase()] ?? 0);
  return {
    verb,
    target: target.replace(/\s+for(\s+\d*)?\s*$/i, '').trim(),
    seconds: seconds === 0 ? undefined : seconds,
  };
};
