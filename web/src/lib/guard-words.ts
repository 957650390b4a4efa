// What a guard that said no says in words: `isFlapping` becomes "is not flapping". Pure.

const words = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ');

const auxiliary: Readonly<Record<string, string>> = {
  is: 'is not',
  has: 'has no',
  can: 'cannot',
  was: 'was not',
};

/** Names of guards begin with a verb in the third person, as `is`, `has`, `expects`; of another name, "not" and its words. */
export const whyNot = (guard: string): string => {
  if (!/^[a-z]\w*$/.test(guard)) return '';
  const [verb = '', ...rest] = words(guard);
  const known = auxiliary[verb];
  if (known !== undefined) return [known, ...rest].join(' ');
  if (verb.length > 3 && /[^s]s$/.test(verb)) return ['does not', verb.slice(0, -1), ...rest].join(' ');
  return ['not', verb, ...rest].join(' ');
};
