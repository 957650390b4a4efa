// Splits a command line into an argument vector, for commands that run without a shell. Quoting works as in `sh`
// (as in `cmd` on Windows). Shell syntax is rejected: without a shell it would be passed literally and mean
// something else.

export type WordsResult =
  | { readonly ok: true; readonly words: readonly string[] }
  | { readonly ok: false; readonly why: string };

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controlCharacter = /[\u0000-\u0008\u000a-\u001f\u007f\u0085\u2028\u2029]/u;
const blank = /[ \t]/;
const refused = (character: string): WordsResult => ({
  ok: false,
  why: `"${character}" is shell syntax; put it in single quotes if it is meant literally`,
});
const unclosed: WordsResult = { ok: false, why: 'a quote is not closed' };

const posixSyntax = /[;&|<>()$`*]/;
/** Expanded, or read as a comment, only at the start of a word. */
const posixWordStart = /[~#]/;
const escapableInDoubleQuotes = /["\\$`]/;
const windowsSyntax = /[&|<>^%()]/;

const posixWords = (command: string): WordsResult => {
  const words: string[] = [];
  let word: string | null = null;
  for (let at = 0; at < command.length; at += 1) {
    const character = command.charAt(at);
    if (blank.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (character === "'") {
      const end = command.indexOf("'", at + 1);
      if (end < 0) return unclosed;
      word = (word ?? '') + command.slice(at + 1, end);
      at = end;
    } else if (character === '"') {
      let text = '';
      for (at += 1; command.charAt(at) !== '"'; at += 1) {
        if (at >= command.length) return unclosed;
        const next = command.charAt(at + 1);
        if (command.charAt(at) === '\\' && escapableInDoubleQuotes.test(next)) {
          text += next;
          at += 1;
        } else if (/[$`]/.test(command.charAt(at))) return refused(command.charAt(at));
        else text += command.charAt(at);
      }
      word = (word ?? '') + text;
    } else if (character === '\\') {
      at += 1;
      if (at >= command.length)
        return { ok: false, why: 'a backslash at the end of the command escapes nothing' };
      word = (word ?? '') + command.charAt(at);
    } else {
      if (posixSyntax.test(character) || (word === null && posixWordStart.test(character)))
        return refused(character);
      word = (word ?? '') + character;
    }
  }
  if (word !== null) words.push(word);
  return { ok: true, words };
};

/** A backslash is part of a path; only double quotes group words. `%` and `^` are special inside quotes too. */
const windowsWords = (command: string): WordsResult => {
  const syntax = windowsSyntax.exec(command);
  if (syntax !== null) return refused(syntax[0]);
  if ((command.split('"').length - 1) % 2 !== 0) return unclosed;
  const words = command.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  return { ok: true, words: words.map((word) => word.replaceAll('"', '')) };
};

/** The words of a command, or why it cannot run without a shell. */
export const commandWords = (command: string, platform: string = process.platform): WordsResult => {
  const control = controlCharacter.exec(command);
  if (control !== null) {
    const code = control[0].charCodeAt(0).toString(16).padStart(2, '0');
    return { ok: false, why: `the command contains a control character (0x${code})` };
  }
  return platform === 'win32' ? windowsWords(command) : posixWords(command);
};
