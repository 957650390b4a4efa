// The small faults that `npm run mutate` plants, as replacements of a piece of source text.
import { parseSync } from 'rolldown/utils';

const comparisons = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
};
const logic = { '&&': '||', '||': '&&' };
const arithmetic = { '+': '-', '-': '+', '*': '/' };

const leaves = new Set(['ReturnStatement', 'ThrowStatement', 'ContinueStatement', 'BreakStatement']);

/** `if (...) return`: the statement does nothing but leave. */
const isGuard = ({ alternate, consequent }) => {
  const body = consequent.type === 'BlockStatement' ? consequent.body : [consequent];
  return alternate === null && body.length > 0 && leaves.has(body.at(-1).type) && body.length <= 2;
};

const isCall = ({ type, argument, expression }) =>
  type === 'CallExpression' ||
  (type === 'AwaitExpression' && isCall(argument)) ||
  (type === 'ChainExpression' && isCall(expression));

/** Strings are joined with `+`, too: there is nothing to subtract. */
const isText = (node) =>
  node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node.value === 'string');

/** The operator stands between the operands; parentheses and comments may stand there, too. */
const operatorOf = (text, { left, right, operator }) => {
  const start = text.indexOf(operator, left.end);
  return start >= left.end && start < right.start ? { start, end: start + operator.length } : undefined;
};

const swapped = (text, node, table, what) => {
  const put = table[node.operator];
  const at = put === undefined ? undefined : operatorOf(text, node);
  return at === undefined ? [] : [{ ...at, put, what }];
};

const rules = {
  BinaryExpression: (node, text) => [
    ...swapped(text, node, comparisons, 'flipped comparison'),
    ...(isText(node.left) || isText(node.right) ? [] : swapped(text, node, arithmetic, 'other arithmetic')),
  ],
  LogicalExpression: (node, text) => swapped(text, node, logic, 'other logic'),
  Literal: (node) => {
    if (typeof node.value === 'boolean')
      return [{ start: node.start, end: node.end, put: String(!node.value), what: 'swapped boolean' }];
    if (typeof node.value !== 'number') return [];
    return [{ start: node.start, end: node.end, put: String(node.value + 1), what: 'off by one' }];
  },
  ExpressionStatement: (node) =>
    isCall(node.expression) ? [{ start: node.start, end: node.end, put: ';', what: 'removed call' }] : [],
  IfStatement: (node) =>
    isGuard(node) ? [{ start: node.start, end: node.end, put: ';', what: 'dropped guard' }] : [],
  ConditionalExpression: (node, text) => [
    {
      start: node.test.start,
      end: node.test.end,
      put: `!(${text.slice(node.test.start, node.test.end)})`,
      what: 'negated condition',
    },
  ],
};

/** Types and imports are no code. */
const isPassedOver = (type) =>
  type.startsWith('TS') || type.startsWith('Import') || type === 'ExportAllDeclaration';

/**
 * All faults that can be planted in a TypeScript module: `{start, end, put, what, line}`, in the order of the text. `start` and
 * `end` are offsets in characters; `put` replaces what stands between them.
 */
export const mutationsOf = (path, text) => {
  const { errors, program } = parseSync(path, text, { lang: 'ts', sourceType: 'module' });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0].message}`);
  const found = [];
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit);
    if (node === null || typeof node !== 'object' || typeof node.type !== 'string') return;
    if (isPassedOver(node.type) && !('expression' in node)) return;
    found.push(...(rules[node.type]?.(node, text) ?? []));
    for (const [key, value] of Object.entries(node)) if (key !== 'typeAnnotation') visit(value);
  };
  visit(program.body);
  return found
    .sort((one, other) => one.start - other.start)
    .map((each) => ({ ...each, line: text.slice(0, each.start).split('\n').length }));
};

export const planted = (text, { start, end, put }) => text.slice(0, start) + put + text.slice(end);
