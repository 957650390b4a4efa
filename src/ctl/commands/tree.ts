// The tree of commands. Each line says where the work is; nothing of it is loaded before it is asked for.
import { type CommandSpec, formatFlag } from '../command.ts';

const signInFlags = [
  { name: 'url', value: 'url', help: 'address of the backend API' },
  { name: 'username', value: 'name', help: 'who logs in' },
  { name: 'password', value: 'password', help: 'asked for without echo when left out' },
  { name: 'non-interactive', short: 'n', help: 'ask nothing; take everything from flags and variables' },
] as const;

const config = () => import('./config.ts');
const signIn = () => import('./sign-in.ts');

const configCommand: CommandSpec = {
  name: 'config',
  help: 'look at the configuration of mon-ctl and change it',
  commands: [
    {
      name: 'view',
      help: 'show the active configuration',
      flags: [formatFlag],
      load: async () => (await config()).view,
    },
    { name: 'list', help: 'list the contexts', load: async () => (await config()).listContexts },
    {
      name: 'use',
      args: '<context>',
      help: 'make a context the current one',
      examples: ['mon-ctl config use production'],
      load: async () => (await config()).useContext,
    },
    {
      name: 'delete',
      args: '<context>',
      help: 'forget a context',
      load: async () => (await config()).removeContext,
    },
    {
      name: 'set-format',
      args: '<format>',
      help: 'set the output format',
      load: async () => (await config()).setFormat,
    },
    {
      name: 'set-namespace',
      args: '<namespace>',
      help: 'set the namespace',
      load: async () => (await config()).setNamespace,
    },
    {
      name: 'set-timeout',
      args: '<duration>',
      help: 'set the time limit of answers',
      load: async () => (await config()).setTimeout,
    },
  ],
};

export const commandTree: readonly CommandSpec[] = [
  {
    name: 'configure',
    help: 'set the backend, log in, and set the defaults of a context',
    flags: [...signInFlags, formatFlag],
    examples: [
      'mon-ctl configure',
      'mon-ctl configure -n --url https://mon.example.org:8080 --username admin --password "$PASSWORD" --format tabular',
      'mon-ctl configure --context production',
    ],
    load: async () => (await signIn()).configure,
  },
  {
    name: 'login',
    help: 'log in with a password',
    flags: signInFlags,
    load: async () => (await signIn()).login,
  },
  { name: 'logout', help: 'end the login', load: async () => (await signIn()).logout },
  configCommand,
  {
    name: 'version',
    help: 'print the version',
    load: async () => (await import('./version.ts')).printVersion,
  },
];
