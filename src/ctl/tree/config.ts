// Login and the configuration of mon-ctl itself.
import { type CommandSpec, command, type FlagSpec, flag, formatFlag, workOf } from '../command.ts';

const config = workOf(() => import('../commands/config.ts'));
const signIn = workOf(() => import('../commands/sign-in.ts'));

const signInFlags: readonly FlagSpec[] = [
  flag('url <url>', 'address of the backend API'),
  flag('username <name>', 'who logs in'),
  flag('password <password>', 'asked for without echo when left out'),
  flag('non-interactive,n', 'ask nothing; take everything from flags and variables'),
];

export const configCommands: readonly CommandSpec[] = [
  command('configure', 'set the backend, log in, and set the defaults of a context', signIn('configure'), {
    flags: [...signInFlags, formatFlag],
    examples: [
      'mon-ctl configure',
      'mon-ctl configure -n --url https://mon.example.org:8080 --username admin --password "$PASSWORD" --format tabular',
      'mon-ctl configure --context production',
    ],
  }),
  command('login [how]', 'log in with a password, or with oidc in the browser', signIn('login'), {
    flags: [
      ...signInFlags,
      flag('provider <name>', 'which OIDC issuer, where there are several'),
      flag('port <port>', 'of the listener the browser comes back to; any free one when left out'),
      flag('no-browser', 'only print the address to open'),
    ],
    examples: [
      'mon-ctl login',
      'mon-ctl login --username joe',
      'mon-ctl login oidc --url https://mon.example.org:8080',
    ],
  }),
  command('logout', 'end the login', signIn('logout'), { examples: ['mon-ctl logout'] }),
  {
    name: 'config',
    help: 'show and change the configuration of mon-ctl',
    commands: [
      command('view', 'show the active configuration', config('view'), {
        flags: [formatFlag],
        examples: ['mon-ctl config view', 'mon-ctl config view --context production --format json'],
      }),
      command('list', 'list the contexts', config('listContexts'), { examples: ['mon-ctl config list'] }),
      command('use <context>', 'make a context the current one', config('useContext'), {
        examples: ['mon-ctl config use production'],
      }),
      command('delete <context>', 'forget a context', config('removeContext'), {
        examples: ['mon-ctl config delete staging'],
      }),
      command('set-format <format>', 'set the output format', config('setFormat'), {
        examples: ['mon-ctl config set-format yaml'],
      }),
      command('set-namespace <namespace>', 'set the namespace', config('setNamespace'), {
        examples: ['mon-ctl config set-namespace web'],
      }),
      command('set-timeout <duration>', 'set the time limit of answers', config('setTimeout'), {
        examples: ['mon-ctl config set-timeout 30s'],
      }),
    ],
  },
];
