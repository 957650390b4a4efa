// mon-ctl inside the process of the test: the same command lines, without starting a program for each.
import { PassThrough, Writable } from 'node:stream';
import { runCommandLine } from '../../src/ctl/parser.ts';
import type { Streams } from '../../src/ctl/session.ts';
import { commandTree } from '../../src/ctl/tree/command-tree.ts';

export interface Said {
  readonly code: number;
  /** Standard output and standard error, in the order in which they were written. */
  readonly text: string;
}

const gather = (chunks: string[], isTTY: boolean): NodeJS.WriteStream => {
  const stream = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      chunks.push(String(text));
      done();
    },
  });
  return Object.assign(stream, { isTTY }) as unknown as NodeJS.WriteStream;
};

export const runHere = async (
  words: readonly string[],
  env: Readonly<Record<string, string>>,
  input = '',
  /** As if a person sat there: it may ask. */
  isTerminal = false,
  /** As if what is printed were read there. */
  outIsTerminal = false,
): Promise<Said> => {
  const chunks: string[] = [];
  const stdin = Object.assign(new PassThrough(), { isTTY: isTerminal });
  stdin.end(input);
  const streams = {
    in: stdin,
    out: gather(chunks, outIsTerminal),
    err: gather(chunks, isTerminal),
    env,
  } as unknown as Streams;
  const code = await runCommandLine(commandTree, words, streams);
  return { code, text: chunks.join('') };
};

/** Words as a shell would split them; single quotes only. */
export const shellWords = (line: string): string[] =>
  [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
