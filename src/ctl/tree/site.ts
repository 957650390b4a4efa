// Commands about the whole site.
import { type CommandSpec, command, formatFlag, skipConfirmFlag, workOf } from '../command.ts';

const site = workOf(() => import('../commands/site.ts'));

export const siteCommands: readonly CommandSpec[] = [
  {
    name: 'cluster',
    help: 'the backends of this site',
    commands: [
      command('health', 'say whether the backends and the store are well', site('health'), {
        flags: [formatFlag],
        examples: ['mon-ctl cluster health', 'mon-ctl cluster health --format json'],
      }),
      command('status', 'show which members serve, and how much of the load', site('clusterStatus'), {
        flags: [formatFlag],
        examples: ['mon-ctl cluster status'],
      }),
      command(
        'drain <name>',
        'tell a member to hand its share over to the others and to end',
        site('drainMember'),
        { flags: [skipConfirmFlag], examples: ['mon-ctl cluster drain b2 --skip-confirm'] },
      ),
      command('id', 'print the id of the cluster', site('clusterId'), { examples: ['mon-ctl cluster id'] }),
      command('member-list', 'list the backends', site('members'), {
        flags: [formatFlag],
        examples: ['mon-ctl cluster member-list'],
      }),
      command('member-add <name> <peers>', 'add a member, where the backend can', site('addMember'), {
        examples: ['mon-ctl cluster member-add backend-2 https://10.0.0.2:2380'],
      }),
      command(
        'member-update <id> <peers>',
        'change the addresses of a member, where the backend can',
        site('updateMember'),
        {
          examples: ['mon-ctl cluster member-update 5c4ec3ba89c8b11f https://10.0.0.3:2380'],
        },
      ),
      command('member-remove <id>', 'remove a member, where the backend can', site('removeMember'), {
        examples: ['mon-ctl cluster member-remove 5c4ec3ba89c8b11f'],
      }),
    ],
  },
  {
    name: 'license',
    help: 'the license of this site',
    commands: [
      command('info', 'show the license', site('showLicense'), {
        flags: [formatFlag],
        examples: ['mon-ctl license info'],
      }),
      command('delete', 'delete the license', site('deleteLicense'), {
        flags: [skipConfirmFlag],
        examples: ['mon-ctl license delete --skip-confirm'],
      }),
    ],
  },
  {
    name: 'tessen',
    help: 'the reporting setting of the reference product; nothing is ever sent',
    commands: [
      command('info', 'show the setting', site('showTessen'), {
        flags: [formatFlag],
        examples: ['mon-ctl tessen info'],
      }),
      command('opt-in', 'set it', site('optIn'), { examples: ['mon-ctl tessen opt-in'] }),
      command('opt-out', 'clear it', site('optOut'), {
        flags: [skipConfirmFlag],
        examples: ['mon-ctl tessen opt-out --skip-confirm'],
      }),
    ],
  },
];
