// How well a text matches what somebody types: every word of it must occur, as it is or as characters in this order. Pure.

const isStart = (text: string, at: number): boolean => at === 0 || /[^a-z0-9]/.test(text[at - 1] ?? '');

/** Of one word; undefined: it does not occur. Both in lower case. */
const scoreWord = (text: string, word: string): number | undefined => {
  const whole = text.indexOf(word);
  if (whole >= 0) return 100 + (isStart(text, whole) ? 30 : 0) - Math.min(20, whole / 4);
  let score = 0;
  let from = 0;
  let last = -2;
  for (const letter of word) {
    const at = text.indexOf(letter, from);
    if (at < 0) return undefined;
    score += at === last + 1 ? 6 : isStart(text, at) ? 5 : 0;
    last = at;
    from = at + letter.length;
  }
  return score - Math.min(20, (last - word.length) / 4);
};

/** Higher is better; undefined: no match. An empty `wanted` matches everything. */
export const fuzzyScore = (text: string, wanted: string): number | undefined => {
  const lower = text.toLowerCase();
  const words = wanted
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  let sum = 0;
  for (const word of words) {
    const score = scoreWord(lower, word);
    if (score === undefined) return undefined;
    sum += score;
  }
  return words.length === 0 ? 0 : sum / words.length - Math.min(10, lower.length / 20);
};
