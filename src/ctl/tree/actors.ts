// Commands that look at the backend while it runs.
import { type CommandSpec, chunkSizeFlag, command, flag, formatFlag, workOf } from '../command.ts';

const actors = workOf(() => import('../commands/actors.ts'));

const example = 'check:default/web01/disk';

export const actorCommands: readonly CommandSpec[] = [
  {
    name: 'actor',
    help: 'the actors of the backend, while they run',
    commands: [
      command('list', 'list actors', actors('listActors'), {
        flags: [
          flag('prefix <prefix>', 'ids that begin with this'),
          flag('search <word>', 'ids that contain this'),
          flag('machine <machine>', 'of this machine, such as check'),
          flag('state <state>', 'in this state, such as ttl.waiting'),
          flag('sort <order>', 'id, mailbox, rate, restarts or age'),
          flag('limit <number>', 'most rows (default 100)'),
          chunkSizeFlag,
          formatFlag,
        ],
        examples: [
          'mon-ctl actor list --sort mailbox --limit 20',
          'mon-ctl actor list --machine check --state failing',
        ],
      }),
      command(
        'info <actor>',
        'show state, context, deadlines and next events of one actor',
        actors('showActor'),
        {
          flags: [formatFlag],
          examples: [`mon-ctl actor info ${example}`],
        },
      ),
      command('tree [supervisor]', 'print the supervision tree', actors('actorTree'), {
        flags: [
          flag('depth <number>', 'levels (default 3)'),
          flag('empty', 'supervisors without children too'),
        ],
        examples: ['mon-ctl actor tree', 'mon-ctl actor tree --depth 5'],
      }),
      command('watch [actor...]', 'print each transition as it happens', actors('watchActors'), {
        flags: [flag('prefix <prefix>', 'all actors whose ids begin with this'), formatFlag],
        examples: [`mon-ctl actor watch ${example}`, 'mon-ctl actor watch --prefix check:default/web01/'],
      }),
      command(
        'dry-run <actor> <event>',
        'say what an event would do; nothing is sent to the actor',
        actors('dryRunActor'),
        {
          flags: [formatFlag],
          examples: [
            `mon-ctl actor dry-run ${example} deadline.reached`,
            `mon-ctl actor dry-run ${example} '{"type": "deadline.reached", "name": "ttl"}'`,
          ],
        },
      ),
      command(
        'history <actor>',
        'list the last transitions of an actor since it is watched',
        actors('actorHistory'),
        {
          flags: [formatFlag],
          examples: [`mon-ctl actor history ${example}`],
        },
      ),
    ],
  },
  command(
    'top',
    'rates, mailboxes, commit latency, slowest handlers and noisiest checks, full screen',
    async () => (await import('../commands/top.ts')).top,
    {
      flags: [
        flag('interval <seconds>', 'between two pictures (default 2)'),
        flag('once', 'print one picture and end'),
      ],
      examples: ['mon-ctl top', 'mon-ctl top --once'],
    },
  ),
];
