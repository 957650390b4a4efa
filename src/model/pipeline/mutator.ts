// Mutators: transform an event before a handler receives it.
import { z } from 'zod';
import { secretReferenceSchema } from '../check/check.ts';
import { envVarsFault } from '../check/check-rules.ts';
import { metadataSchema } from '../resource/metadata.ts';
import { nameFault, namespaceFault } from '../resource/names.ts';
import { listOrNull, stringListOrNull, text, unsigned32 } from '../schema/quick-types.ts';

/** Mutators that need no definition. */
export const builtInMutators = ['json', 'only_check_output', 'earlier_event'] as const;

export const mutatorSchema = z.object({
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  command: text()
    .optional()
    .describe('Command line of a pipe mutator: reads an event on standard input, writes what handlers get.'),
  /** Seconds; 0 means the runner's default. */
  timeout: unsigned32(0).meta({
    description: 'Time after which it is stopped; 0: no limit for commands.',
    'x-unit': 'seconds',
  }),
  env_vars: stringListOrNull().describe('Variables of the command, each as NAME=value.'),
  runtime_assets: stringListOrNull().describe('Names of assets that it runs with.'),
  secrets: listOrNull(secretReferenceSchema).describe('Secrets that the command gets as variables.'),
  type: text('pipe')
    .transform((type) => type || 'pipe')
    .meta({ description: 'How events are changed.', 'x-allowed': ['pipe', 'javascript'] }),
  /** The body of a JavaScript function. */
  eval: text()
    .optional()
    .describe('JavaScript of a mutator of type javascript; it changes event, or returns text.'),
});
export type Mutator = z.infer<typeof mutatorSchema>;

const typeFault = ({ type, command, eval: body }: Mutator): string | null => {
  if (type !== 'pipe' && type !== 'javascript') {
    return `invalid mutator type "${type}", valid types are "javascript, pipe"`;
  }
  if (!command && !body) return 'mutator command or eval must be set';
  return type === 'javascript' && command ? '"command" used with javascript mutator, should be "eval"' : null;
};

export const validateMutator = (mutator: Mutator): string | null =>
  nameFault('mutator name', mutator.metadata.name) ??
  typeFault(mutator) ??
  envVarsFault(mutator.env_vars) ??
  namespaceFault(mutator.metadata.namespace);
