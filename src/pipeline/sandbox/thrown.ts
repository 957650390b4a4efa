// Reads what a user program threw, and distinguishes an interrupt by the interpreter from an error of the program.
import type { QuickJSContext, QuickJSHandle } from 'quickjs-emscripten-core';
import { maxProgramChars } from '../limits.ts';
import type { ExpressionOutcome, FailureKind } from './protocol.ts';

export type Failed = ExpressionOutcome & { readonly type: 'failed' };

export const tooLong = (text: string): Failed => ({
  type: 'failed',
  kind: 'syntax',
  message: `the program has ${text.length} characters, more than the ${maxProgramChars} allowed`,
});

export const kindOf = (name: string, message: string): FailureKind => {
  if (message === 'stack overflow') return 'recursion';
  if (name === 'InternalError' && message === 'interrupted') return 'slow';
  if (name === 'InternalError' && message === 'out of memory') return 'memory';
  return name === 'SyntaxError' ? 'syntax' : 'threw';
};

export interface Thrown {
  readonly name: string;
  readonly message: string;
  /** ` (line 1, column 4)` or empty. */
  readonly line: string;
  /** A getter of the thrown object threw as well, and its exception is still pending in the interpreter. */
  readonly pending: boolean;
}

export const describe = (context: QuickJSContext, handle: QuickJSHandle): Thrown => {
  const type = context.typeof(handle);
  if (type !== 'object') {
    const message = type === 'string' ? context.getString(handle) : `a ${type}`;
    return { name: '', message, line: '', pending: false };
  }
  let pending = false;
  const read = (key: string): string | null =>
    context.getProp(handle, key).consume((value) => {
      const kind = context.typeof(value);
      // Reported for an exception instead of a value.
      if (kind === 'unknown') pending = true;
      return kind === 'string' ? context.getString(value) : null;
    });
  const name = read('name') ?? 'Error';
  const message = read('message') ?? 'an object without a message';
  const place = /:(\d+):(\d+)\)?$/m.exec(read('stack') ?? '');
  const line = place === null ? '' : ` (line ${place[1]}, column ${place[2]})`;
  return { name, message, line, pending };
};
