// Conditions of the earlier generation as JavaScript: values, and `eval:` with a condition in Ruby over `value`. Only what means the same
// in both is translated; anything else is refused with the part that is not known.

export type Translated =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly why: string };

const refuse = (why: string): Translated => ({ ok: false, why });

/** Strings, regular expressions, numbers, words, tokens and operators. */
const word =
  /\s*(?:("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(\/(?:[^/\\\n]|\\.)+\/[imx]*)|(\d+(?:\.\d+)?)|(:::[^:]+:::)|([A-Za-z_]\w*[?!]?)|(=~|!~|&&|\|\||==|!=|<=|>=|[-+*/%<>!()[\],.]))/y;

interface Word {
  readonly type: 'string' | 'pattern' | 'number' | 'token' | 'name' | 'operator';
  readonly text: string;
}

const types = ['string', 'pattern', 'number', 'token', 'name', 'operator'] as const;

const wordsOf = (source: string): readonly Word[] | string => {
  const found: Word[] = [];
  word.lastIndex = 0;
  while (word.lastIndex < source.trimEnd().length) {
    const at = word.lastIndex;
    const match = word.exec(source);
    if (match === null) return source.slice(at).trim().slice(0, 20);
    const index = match.slice(1).findIndex((part) => part !== undefined);
    const type = types[index] ?? 'operator';
    const text = match[index + 1] ?? '';
    const before = found.at(-1);
    const isAfterValue =
      before !== undefined && (before.type !== 'operator' || before.text === ')' || before.text === ']');
    if (type !== 'pattern' || !isAfterValue) {
      found.push({ type, text });
      continue;
    }
    // A slash after a value divides.
    found.push({ type: 'operator', text: '/' });
    word.lastIndex -= text.length - 1;
  }
  return found;
};

const names: Readonly<Record<string, string>> = {
  value: 'value',
  true: 'true',
  false: 'false',
  nil: 'null',
  and: '&&',
  or: '||',
  not: '!',
};

/** Methods without arguments, as what follows the value in JavaScript. */
const methods: Readonly<Record<string, string>> = {
  to_i: 'Number',
  to_f: 'Number',
  to_s: 'String',
  'nil?': 'isNil',
  'empty?': 'isEmpty',
  downcase: 'toLowerCase',
  upcase: 'toUpperCase',
};

/** Where a token such as `check.interval` is found on an event; undefined where nothing is like it. */
export type PathOf = (token: string) => string | undefined;

/** A string that is one token as a whole. */
const quotedToken = /^["']:::([^:|]+)(?:\|[^:]*)?:::["']$/;

const translateRuby = (source: string, value: string, pathOf: PathOf): Translated => {
  const found = wordsOf(source);
  if (typeof found === 'string') return refuse(`"${found}" can not be expressed`);
  let text = '';
  for (let at = 0; at < found.length; at += 1) {
    const { type, text: raw } = found[at] as Word;
    const next = found[at + 1];
    if (type === 'operator' && (raw === '=~' || raw === '!~')) {
      const left = /(\S+)\s*$/.exec(text)?.[1];
      if (next?.type !== 'pattern' || left !== value)
        return refuse(`"${raw}" is translated only as value ${raw} /pattern/`);
      const pattern = next.text.replace(/\/[imx]*$/, (end) => (end.includes('i') ? '/i' : '/'));
      text = `${text.slice(0, text.lastIndexOf(left))}${raw === '!~' ? '!' : ''}${pattern}.test(String(${value}))`;
      at += 1;
    } else if (type === 'operator' && raw === '.') {
      if (next?.type !== 'name') return refuse('a method name is missing');
      const method = methods[next.text];
      const left = /(\S+)$/.exec(text)?.[1] ?? '';
      if (next.text === 'include?' && found[at + 2]?.text === '(') {
        text += '.includes';
      } else if (method === undefined || left !== value)
        return refuse(`the method "${next.text}" can not be expressed`);
      else if (method === 'Number' || method === 'String')
        text = `${text.slice(0, -left.length)}${method}(${left})`;
      else if (method === 'isNil') text = `${text.slice(0, -left.length)}(${left} == null)`;
      else if (method === 'isEmpty') text = `${text.slice(0, -left.length)}(${left}.length === 0)`;
      else text += `.${method}()`;
      at += 1;
    } else if (type === 'name') {
      const known = names[raw];
      if (known === undefined) return refuse(`"${raw}" can not be expressed`);
      text += known === 'value' ? value : known === '&&' || known === '||' ? ` ${known} ` : known;
    } else if (type === 'token' || (type === 'string' && raw.includes(':::'))) {
      const token = type === 'token' ? raw.slice(3, -3).split('|')[0] : quotedToken.exec(raw)?.[1];
      const path = token === undefined ? undefined : pathOf(token);
      if (path === undefined) return refuse(`${raw} has nothing like it on events of today`);
      text += path;
    } else if (type === 'pattern') return refuse('a pattern is translated only after =~ and !~');
    else text += /^[-+*/%<>]$|^(?:&&|\|\||==|!=|<=|>=)$/.test(raw) ? ` ${raw} ` : raw === ',' ? ', ' : raw;
  }
  return { ok: true, text: text.trim() };
};

const evalStart = /^eval:\s*/;

/** A condition on the value at a path of the event. */
export const translateCondition = (expected: unknown, path: string, pathOf: PathOf): Translated => {
  if (typeof expected === 'string' && evalStart.test(expected))
    return translateRuby(expected.replace(evalStart, ''), path, pathOf);
  if (typeof expected === 'object' && expected !== null)
    return refuse('a list or an object is compared as a whole');
  return { ok: true, text: `${path} == ${JSON.stringify(expected ?? null)}` };
};
