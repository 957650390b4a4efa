// What only users and API keys have on the command line.
import { type CommandSpec, command, flag, interactiveFlag, skipConfirmFlag, workOf } from '../command.ts';

const users = workOf(() => import('../commands/users.ts'));
const keys = workOf(() => import('../commands/keys.ts'));

const silently = 'asked for without echo when left out';
const passwordFlag = flag('password,p <password>', silently);

export const userSubcommands: readonly CommandSpec[] = [
  command('create <name>', 'create a user', users('createUser'), {
    flags: [passwordFlag, flag('groups,g <list>', 'groups of the user', { list: true }), interactiveFlag],
    examples: ['mon-ctl user create joe -g ops,dev', 'mon-ctl user create joe -p "$PASSWORD"'],
  }),
  command('disable <name>', 'refuse the logins of a user', users('disable'), {
    flags: [skipConfirmFlag],
    examples: ['mon-ctl user disable joe --skip-confirm'],
  }),
  command('reinstate <name>', 'allow the logins of a disabled user again', users('reinstate'), {
    flags: [skipConfirmFlag],
    examples: ['mon-ctl user reinstate joe'],
  }),
  command('add-group <name> <group>', 'add a user to a group', users('addGroup'), {
    examples: ['mon-ctl user add-group joe ops'],
  }),
  command('remove-group <name> <group>', 'remove a user from a group', users('removeGroup'), {
    examples: ['mon-ctl user remove-group joe ops'],
  }),
  command('remove-groups <name>', 'remove a user from all groups', users('removeGroups'), {
    examples: ['mon-ctl user remove-groups joe'],
  }),
  command('set-groups <name> <groups>', 'replace the groups of a user', users('setGroups'), {
    examples: ['mon-ctl user set-groups joe ops,dev'],
  }),
  command(
    'change-password [name]',
    'change a password whose current one is known; your own when no name is given',
    users('changePassword'),
    {
      flags: [
        flag('current-password,c <password>', silently),
        flag('new-password,p <password>', silently),
        interactiveFlag,
      ],
      examples: ['mon-ctl user change-password', 'mon-ctl user change-password joe'],
    },
  ),
  command('reset-password <name>', 'set a password without the current one', users('resetPassword'), {
    flags: [passwordFlag, interactiveFlag],
    examples: ['mon-ctl user reset-password joe'],
  }),
  command('hash-password [password]', 'print the bcrypt hash of a password', users('hashPassword'), {
    examples: ['mon-ctl user hash-password'],
  }),
  command('test-creds <name>', 'say whether a password is right', users('testCredentials'), {
    flags: [passwordFlag],
    examples: ['mon-ctl user test-creds joe'],
  }),
];

export const apiKeySubcommands: readonly CommandSpec[] = [
  command('grant <user>', 'make a key for a user; it is shown only once', keys('grant'), {
    examples: ['mon-ctl api-key grant joe'],
  }),
  command('revoke <name>', 'delete a key', keys('revoke'), {
    flags: [skipConfirmFlag],
    examples: ['mon-ctl api-key revoke b4d1a4b5-5b6c-4a3c-8f0e-2f6d1c9f7a11 --skip-confirm'],
  }),
];
