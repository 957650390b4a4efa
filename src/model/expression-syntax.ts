// Checks the syntax of expressions in filters, assets and proxy requests. Expressions are compiled but never run
// here; the sandbox runs user code.
import { Script } from 'node:vm';
import { maxExpressionCharacters, maxExpressions } from './limits.ts';
import { remember } from './memo.ts';

const keptVerdicts = 2_000;

const compileFault = remember(keptVerdicts, (expression: string): string | null => {
  try {
    new Script(expression, { filename: 'expression' });
    return null;
  } catch (error) {
    // The parser recurses into each bracket, so deep nesting overflows the stack.
    if (error instanceof RangeError) return 'it is nested too deeply';
    if (!(error instanceof SyntaxError)) throw error;
    return error.message;
  }
});

const syntaxFault = (expression: string): string | null =>
  expression.length > maxExpressionCharacters
    ? `it must be at most ${maxExpressionCharacters} characters (got ${expression.length})`
    : compileFault(expression);

/** `event.check.status = 0`: a member of what an expression is given, then one equals sign. */
const assignment = /\b(?:event|entity|check)(?:\s*\.\s*\w+|\s*\[[^\]]*\])+\s*=(?![=>])/;
const quotedText = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g;

/** Whether an expression sets what it was meant to compare. Says no in doubt. */
export const isAssignment = (expression: string): boolean => {
  if (expression.length > maxExpressionCharacters) return false;
  // A key in brackets may be quoted; what is in it does not matter here.
  return assignment.test(expression.replaceAll(quotedText, "''"));
};

/** Size of the memo of checked expressions, for gauges and tests. */
export const expressionMemo = (): { readonly entries: number; readonly bytes: number } => compileFault.kept;

/** `syntax error in expression 0: Unexpected token ')'` for the first invalid expression, or null. */
export const expressionsFault = (expressions: readonly string[]): string | null => {
  if (expressions.length > maxExpressions)
    return `there are more than ${maxExpressions} expressions (got ${expressions.length}); join some with || or &&`;
  for (const [index, expression] of expressions.entries()) {
    const why = syntaxFault(expression);
    if (why !== null) return `syntax error in expression ${index}: ${why}`;
  }
  return null;
};
