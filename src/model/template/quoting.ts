// Quoted constants in templates, in Go's notation, which differs from JSON and JavaScript in a few escapes.

const simple: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

const escapes = /\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|([0-7]{3})|([\s\S]))/g;

const maxCodePoint = 0x10ffff;

/** The text of a quoted or raw string, or the code of a character constant; null if invalid. */
export const unquote = (source: string): string | number | null => {
  const body = source.slice(1, -1);
  if (source.startsWith('`')) return body;
  let valid = true;
  const text = body.replaceAll(escapes, (_, x, u, long, octal, letter) => {
    const hex = x ?? u ?? long;
    if (hex !== undefined || octal !== undefined) {
      const code = hex === undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex, 16);
      if (code > maxCodePoint) valid = false;
      return valid ? String.fromCodePoint(code) : '';
    }
    const plain = simple[letter];
    if (plain === undefined) valid = false;
    return plain ?? '';
  });
  if (!valid) return null;
  if (source.startsWith('"')) return text;
  const [character, ...more] = [...text];
  return character === undefined || more.length > 0 ? null : (character.codePointAt(0) ?? null);
};
