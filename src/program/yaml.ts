// YAML files that people write for our programs: settings, allow lists. Read with limits, so that a file that was planted can
// only be refused: aliases that multiply, lists in lists without end, more text than anybody writes.
import { parseDocument } from 'yaml';
import { errorText } from './log.ts';

const maxFileCharacters = 4_194_304;
/** Nodes that aliases may stand for, in all. */
const maxAliasCount = 100;

export interface YamlOptions {
  readonly mapAsMap?: boolean;
}

/** What the text says. Throws an Error with the reason in one line. */
export const readYaml = (text: string, { mapAsMap = false }: YamlOptions = {}): unknown => {
  if (text.length > maxFileCharacters)
    throw new Error(`the file is too large (${text.length} characters, at most ${maxFileCharacters})`);
  try {
    const document = parseDocument(text);
    const problem = document.errors[0];
    if (problem !== undefined) throw problem;
    return document.toJS({ mapAsMap, maxAliasCount }) as unknown;
  } catch (error) {
    if (error instanceof RangeError) throw new Error('values are nested too deeply');
    const reason = errorText(error).split('\n')[0] ?? '';
    throw new Error(
      /alias count/i.test(reason)
        ? `aliases stand for more than ${maxAliasCount} values: write them out`
        : reason,
    );
  }
};
