// Expressions of filters, assets and proxy requests: is it a program at all? Compiled, never run: running user code
// is the sandbox's work, far from here.
import { Script } from 'node:vm';
import { remember } from './memo.ts';

const syntaxFault = remember(2000, (expression: string): string | null => {
  try {
    new Script(expression, { filename: 'expression' });
    return null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return error.message;
  }
});

/** `syntax error in expression 0: Unexpected token ')'` for the first that doesn't parse, or null. */
export const expressionsFault = (expressions: readonly string[]): string | null => {
  for (const [index, expression] of expressions.entries()) {
    const why = syntaxFault(expression);
    if (why !== null) return `syntax error in expression ${index}: ${why}`;
  }
  return null;
};
