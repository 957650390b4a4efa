// What only assets have on the command line.
import type { CommandSpec } from '../command.ts';

export const assetSubcommands: readonly CommandSpec[] = [];
