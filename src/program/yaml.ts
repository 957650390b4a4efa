// Reads user-written YAML files: settings, allow lists. Limits protect against malicious files: alias expansion,
// deep nesting, excessive size.
import { type Document, isScalar, type LineCounter, parseDocument, visit } from 'yaml';
import { errorText } from './log.ts';

const maxFileCharacters = 4_194_304;
/** Maximum number of nodes that aliases may expand to. */
const maxAliasCount = 100;

export interface YamlOptions {
  readonly mapAsMap?: boolean;
  /** A `timestamp` that a number would round, in nanoseconds, is read as text with all its digits. */
  readonly exactTimestamps?: boolean;
}

const longInteger = /^-?\d{17,19}$/;

const keepTimestamps = (document: Document.Parsed): void =>
  visit(document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || key.value !== 'timestamp' || !isScalar(value)) return;
      if (typeof value.value === 'number' && longInteger.test(value.source ?? '')) value.value = value.source;
    },
  });

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
  { mapAsMap = false, exactTimestamps = false }: YamlOptions = {},
  lineCounter?: LineCounter,
): ReadDocument => {
  if (text.length > maxFileCharacters)
    throw new Error(`the file is too large (${text.length} characters, at most ${maxFileCharacters})`);
  try {
    const document = parseDocument(text, lineCounter === undefined ? {} : { lineCounter });
    const problem = document.errors[0];
    if (problem !== undefined) throw problem;
    if (exactTimestamps) keepTimestamps(document);
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
