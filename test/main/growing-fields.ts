// Finds what can grow in the backend: Maps, Sets and lists that live longer than the function that adds to them. Reads the
// built sources, so that a new one is noticed whoever fills it.
import { readFileSync } from 'node:fs';
import { parseAst } from 'vite';

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && typeof (value as Node).type === 'string';

const childrenOf = (node: Node): readonly Node[] =>
  Object.values(node)
    .flatMap((value) => (Array.isArray(value) ? value : [value]))
    .filter(isNode);

const growing = new Set(['set', 'add', 'push', 'unshift']);

const isEmptyCollection = (node: unknown): boolean => {
  if (!isNode(node)) return false;
  if (node.type === 'ArrayExpression') return (node['elements'] as unknown[]).length === 0;
  const callee = node['callee'];
  return node.type === 'NewExpression' && isNode(callee) && ['Map', 'Set'].includes(String(callee['name']));
};

/** `streams` or `#streams`. */
const nameOf = (node: unknown): string => {
  if (!isNode(node)) return '';
  if (node.type === 'PrivateIdentifier') return `#${node['name']}`;
  return node.type === 'Identifier' ? String(node['name']) : '';
};

const isThis = (node: unknown): boolean => isNode(node) && node.type === 'ThisExpression';

interface Found {
  readonly name: string;
  readonly within: Node | undefined;
}

/** Names of what grows in a built file, in order of their place. */
export const growingIn = (path: string): readonly string[] => {
  const fields: string[] = [];
  const variables: Found[] = [];
  const grown: Found[] = [];
  const visit = (node: Node, within: Node | undefined): void => {
    const { type } = node;
    if (type === 'PropertyDefinition' && isEmptyCollection(node['value'])) fields.push(nameOf(node['key']));
    if (type === 'VariableDeclarator' && isEmptyCollection(node['init']))
      variables.push({ name: nameOf(node['id']), within });
    const callee = node['callee'];
    if (type === 'CallExpression' && isNode(callee) && callee.type === 'MemberExpression') {
      const target = callee['object'];
      const isOwn = isNode(target) && target.type === 'MemberExpression' && isThis(target['object']);
      const name = isOwn ? nameOf((target as Node)['property']) : nameOf(target);
      if (name !== '' && growing.has(nameOf(callee['property']))) grown.push({ name, within });
    }
    const inner = /Function/.test(type) ? node : within;
    for (const child of childrenOf(node)) visit(child, inner);
  };
  visit(parseAst(readFileSync(path, 'utf8')) as unknown as Node, undefined);
  return [
    ...fields.filter((name) => grown.some((one) => one.name === name)),
    ...variables
      .filter(({ name, within }) => grown.some((one) => one.name === name && one.within !== within))
      .map(({ name }) => name),
  ];
};
