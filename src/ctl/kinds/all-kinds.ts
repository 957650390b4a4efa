// The table of all kinds as the command line knows them.
import * as access from './access.ts';
import * as handling from './handling.ts';
import type { KindCommands } from './kind-commands.ts';
import * as watching from './watching.ts';

export const allKinds: readonly KindCommands[] = [access, handling, watching].flatMap((rows) =>
  Object.values(rows),
);
