// Reads user-written YAML files: settings, allow lists. Limits protect against malicious files: alias expansion,
// deep nesting, excessive size.
import { type Document, type LineCounter, parseDocument } from 'yaml';
import { errorText } from './log.ts';

const maxFileCharacters = 4_194_304;
/** Maximum number of nodes that aliases may expand to. */
const maxAliasCount = 100;

export interface YamlOptions {
  readonly mapAsMap?: boolean;
}

export interface ReadDocument {
  readonly value: unknown;
  /** The parsed document, which knows where each of its nodes stands. */
  readonly document: Document.Parsed;
}

/** Parses YAML. Throws an Error with a one-line reason. */
export const readYaml = (text: string, options: YamlOptions = {}): unknown =>
  readYamlDocument(text, options).value;

/** With a line counter the reason tells line and column. */
export const readYamlDocument = (
  text: string,
  { mapAsMap = false }: YamlOptions = {},
  lineCounter?: LineCounter,
): ReadDocument => {
  if (text.length > maxFileCharacters)
    throw new Error(`the file is too large (${text.length} characters, at most ${maxFileCharacters})`);
  try {
    const document = parseDocument(text, lineCounter === undefined ? {} : { lineCounter });
    const problem = document.errors[0];
    if (problem !== undefined) throw problem;
    return { value: document.toJS({ mapAsMap, maxAliasCount }) as unknown, document };
  } catch (error) {
    if (error instanceof RangeError) throw new Error('values are nested too deeply');
    const reason = errorText(error).split('\n')[0] ?? '';
    throw new Error(
      /alias count/i.test(reason)
        ? `aliases expand to more than ${maxAliasCount} values; write the values out`
        : reason,
    );
  }
};
