// The tree of commands. Each line says where the work is; nothing of it is loaded before it is asked for.
import { type CommandSpec, command, flag } from '../command.ts';
import { actorCommands } from './actors.ts';
import { extensionCommands } from './assets.ts';
import { configCommands } from './config.ts';
import { fileCommands } from './files.ts';
import { importCommands } from './imports.ts';
import { jobCommands } from './jobs.ts';
import { siteCommands } from './site.ts';

/** Words of kinds, and what they are; their commands are loaded when one of them is asked for. */
const kindWords: Readonly<Record<string, string>> = {
  'api-key': 'API keys, with which programs log in',
  asset: 'archives with programs that checks and handlers run',
  auth: 'authentication providers: LDAP, Active Directory, OIDC',
  check: 'what agents run, how often, and which handlers get the results',
  'cluster-role': 'sets of permissions for all namespaces',
  'cluster-role-binding': 'users and groups that have a cluster role in all namespaces',
  entity: 'monitored machines and devices',
  event: 'latest results of checks: what is failing now',
  filter: 'rules that decide which events reach a handler',
  handler: 'what is done with events, such as notifications',
  hook: 'commands that agents run after a check, for diagnosis',
  mutator: 'programs that transform events for handlers',
  namespace: 'separate sets of resources, for example one for each team',
  pipeline: 'workflows of filters, a mutator and a handler',
  role: 'sets of permissions in one namespace',
  'role-binding': 'users and groups that have a role in a namespace',
  secret: 'references to values in a secrets provider',
  silenced: 'silences: alerts that are muted, and until when',
  user: 'local users, who log in with a password',
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
  ...jobCommands,
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
