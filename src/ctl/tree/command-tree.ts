// The tree of commands. Each line says where the work is; nothing of it is loaded before it is asked for.
import { type CommandSpec, command, flag } from '../command.ts';
import { actorCommands } from './actors.ts';
import { extensionCommands } from './assets.ts';
import { configCommands } from './config.ts';
import { fileCommands } from './files.ts';
import { importCommands } from './imports.ts';
import { siteCommands } from './site.ts';

/** Words of kinds, and what they are; their commands are loaded when one of them is asked for. */
const kindWords: Readonly<Record<string, string>> = {
  'api-key': 'keys of programs',
  asset: 'archives of programs that commands run with',
  auth: 'directories and issuers users may log in through',
  check: 'what agents run, when, and where the results go',
  'cluster-role': 'permissions everywhere',
  'cluster-role-binding': 'who has a cluster role everywhere',
  entity: 'machines and things being watched',
  event: 'the last results of checks',
  filter: 'which events reach a handler',
  handler: 'where events go',
  hook: 'commands run after a check to explain its result',
  mutator: 'what an event is turned into for a handler',
  namespace: 'what keeps the resources of teams apart',
  pipeline: 'workflows of filters, a mutator and a handler',
  role: 'permissions inside one namespace',
  'role-binding': 'who has a role inside one namespace',
  secret: 'names of values that secrets providers keep',
  silenced: 'what keeps alerts quiet',
  user: 'who may log in with a password',
};

const kindCommands: readonly CommandSpec[] = Object.entries(kindWords).map(([name, help]) => ({
  name,
  help,
  loadCommands: async () => (await import('./kinds.ts')).commandsOfKind(name),
}));

const completion = () => import('../commands/completion.ts');

export const commandTree: readonly CommandSpec[] = [
  ...configCommands,
  ...kindCommands,
  ...siteCommands,
  ...fileCommands,
  ...actorCommands,
  ...extensionCommands,
  ...importCommands,
  command(
    'completion <shell>',
    'print the completion script of bash, zsh or fish',
    async () => (await completion()).printCompletion,
    {
      examples: ['source <(mon-ctl completion bash)', 'mon-ctl completion fish | source'],
    },
  ),
  command(
    '__complete [words...]',
    'what may come next on a command line',
    async () => (await completion()).complete(commandTree),
    {
      hidden: true,
    },
  ),
  command(
    'env',
    'print the configuration as variables for a shell',
    async () => (await import('../commands/env.ts')).printEnvironment,
    {
      flags: [flag('shell <shell>', 'bash, cmd or powershell (default bash)')],
      examples: ['eval $(mon-ctl env)', 'mon-ctl env --shell powershell'],
    },
  ),
  command('version', 'print the version', async () => (await import('../commands/version.ts')).printVersion, {
    examples: ['mon-ctl version'],
  }),
];
