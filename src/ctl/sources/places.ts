// Where in a file a field of a document stands, as `line:column`, counted from 1 over the whole file.
import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, type ParsedNode } from 'yaml';
import { readYamlDocument } from '../../program/yaml.ts';

export interface Place {
  readonly line: number;
  readonly column: number;
}

export type Path = readonly (string | number)[];

/** The start of the key where there is one, of the item in a list; of the nearest thing around a field that is not there. */
const offsetOf = (root: ParsedNode | null, path: Path): number => {
  let node: Node | null = root;
  let offset = root?.range[0] ?? 0;
  for (const part of path) {
    if (isMap(node)) {
      const pair = node.items.find(
        (item) => isPair(item) && isScalar(item.key) && String(item.key.value) === String(part),
      );
      if (pair === undefined) return offset;
      offset = (pair.key as Node).range?.[0] ?? offset;
      node = pair.value as Node | null;
    } else if (isSeq(node)) {
      node = (node.items[Number(part)] as Node | undefined) ?? null;
      offset = node?.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
};

/** `before` is the text of the file up to the document. */
export const placeIn = (before: string, document: string, path: Path): Place => {
  const lines = new LineCounter();
  const { document: parsed } = readYamlDocument(document, {}, lines);
  const { line, col } = lines.linePos(offsetOf(parsed.contents, path));
  return after(before, line, col);
};

/** The place of a line and column of a document, in its file. */
const after = (before: string, line: number, column: number): Place => {
  const above = before.split('\n');
  return {
    line: above.length - 1 + line,
    column: line === 1 ? (above.at(-1) ?? '').length + column : column,
  };
};

/** Of a document that can't be read: where the reader gave up. */
export const placeOfMistake = (before: string, document: string): Place => {
  const lines = new LineCounter();
  let at = { line: 1, col: 1 };
  try {
    readYamlDocument(document, {}, lines);
  } catch (error) {
    const [, line, col] = /at line (\d+), column (\d+)/.exec((error as Error).message) ?? [];
    if (line !== undefined) at = { line: Number(line), col: Number(col) };
  }
  return after(before, at.line, at.col);
};
