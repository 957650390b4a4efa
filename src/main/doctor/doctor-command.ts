// What the doctor commands of all programs share: the format of the report, and how they exit.
import { type Command, Option } from 'commander';
import { givenFlags } from '../../program/command-line.ts';
import { errorText } from '../../program/log.ts';
import { readTextFile } from '../../program/resolve.ts';
import type { ReportFormat } from './finding.ts';

export const flagsLike = (flags: object, pattern: RegExp): readonly string[] =>
  Object.keys(flags).filter((flag) => pattern.test(flag));

export const formatOption = (): Option =>
  new Option('--format <format>', 'one line a finding, or JSON').choices(['text', 'json']).default('text');

export const formatOf = (command: Command): ReportFormat => command.getOptionValue('format') as ReportFormat;

export const sources = (command: Command) => ({
  flags: givenFlags(command),
  environment: process.env,
  readFile: readTextFile,
});

/** Invalid settings are reported as the only finding. */
export const exitWith = async (program: string, run: () => Promise<number>): Promise<void> => {
  try {
    process.exit(await run());
  } catch (error) {
    console.error(`${program}: ${errorText(error)}`);
    process.exit(1);
  }
};

export const warnAll = (warnings: readonly string[]): void => {
  for (const warning of warnings) console.error(`warning: ${warning}`);
};
