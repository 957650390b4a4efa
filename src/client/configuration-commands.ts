// The two commands that only inspect the configuration: `--validate_config` and `--print_config`.

import { redact } from '../model/earlier/redaction.ts';
import { exitCodes } from './options.ts';
import type { Loaded } from './settings/load.ts';

export interface Answer {
  readonly text: string;
  readonly exitCode: number;
}

const codeOf = ({ problems }: Loaded): number =>
  problems.length === 0 ? exitCodes.fine : exitCodes.badConfiguration;

export const validateConfig = (loaded: Loaded): Answer => {
  const exitCode = codeOf(loaded);
  if (exitCode === exitCodes.fine) return { text: 'configuration is valid', exitCode };
  const errors = loaded.problems.map(({ object, message }) => ({ object: redact(object), message }));
  return { text: `configuration is invalid\n${JSON.stringify({ errors }, null, 2)}`, exitCode };
};

export const printConfig = (loaded: Loaded): Answer => ({
  text: JSON.stringify(redact(loaded.settings), null, 2),
  exitCode: codeOf(loaded),
});
