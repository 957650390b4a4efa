// What only checks have on the command line.
import { type CommandSpec, command, flag, workOf } from '../command.ts';
import type { Field } from '../kinds/kind-commands.ts';
import { checkCommands } from '../kinds/watching.ts';

const resources = () => import('../commands/resources.ts');
const checks = workOf(() => import('../commands/checks.ts'));

/** Fields of a check that can't be removed. */
const required: ReadonlySet<string> = new Set([
  ...['command', 'cron', 'interval', 'publish', 'round-robin', 'stdin', 'subscriptions'],
]);

/** A value of each field, for the examples. */
const samples: Readonly<Record<string, string>> = {
  command: "'check-disk.sh -w 80'",
  cron: "'*/5 * * * *'",
  subscriptions: 'linux,web',
  handlers: 'mail,pager',
  'runtime-assets': 'tools',
  'depends-on': 'router-1/ping',
  'proxy-entity-name': 'router01',
  publish: 'false',
  stdin: 'true',
  'round-robin': 'true',
  'output-metric-handlers': 'influx',
  'output-metric-format': 'nagios_perfdata',
};

const ofField = (field: Field): readonly CommandSpec[] => {
  const { name, help } = field.flag;
  const set = command(
    `set-${name} <name> <value>`,
    `set: ${help}`,
    async () => (await resources()).setField(checkCommands, field),
    { examples: [`mon-ctl check set-${name} disk ${samples[name] ?? '30'}`] },
  );
  if (required.has(name)) return [set];
  const remove = command(
    `remove-${name} <name>`,
    `remove: ${help}`,
    async () => (await resources()).removeField(checkCommands, field),
    { examples: [`mon-ctl check remove-${name} disk`] },
  );
  return [set, remove];
};

const fileFlag = flag('file,f <file>', 'JSON or YAML; standard input when left out');

const ofPart = (part: 'proxy-requests' | 'subdue'): readonly CommandSpec[] => [
  command(
    `set-${part} <name>`,
    `set ${part} from a file`,
    async () => (await import('../commands/checks.ts')).setPart(part),
    {
      flags: [fileFlag],
      examples: [`mon-ctl check set-${part} disk -f ${part}.yaml`],
    },
  ),
  command(
    `remove-${part} <name>`,
    `remove ${part}`,
    async () => (await import('../commands/checks.ts')).removePart(part),
    {
      examples: [`mon-ctl check remove-${part} disk`],
    },
  ),
];

export const checkSubcommands: readonly CommandSpec[] = [
  command('execute <name>', 'run a check now', checks('execute'), {
    flags: [
      flag('reason,r <text>', 'why'),
      flag('subscriptions,s <list>', 'subscriptions instead of those of the check', { list: true }),
      flag('wait', 'print the results as they come; exit 1 unless all pass'),
      flag('wait-timeout <duration>', 'longest wait for results (default 60s)'),
    ],
    examples: [
      'mon-ctl check execute disk',
      'mon-ctl check execute disk -s entity:web01',
      'mon-ctl check execute disk --wait --wait-timeout 2m',
    ],
  }),
  ...checkCommands.fields.flatMap(ofField),
  command('set-hooks <name>', 'name the hooks for one type of result', checks('setHooks'), {
    flags: [
      flag('type,t <type>', 'ok, warning, critical, unknown, non-zero or a status'),
      flag('hooks,k <list>', 'names of hooks', { list: true }),
    ],
    examples: ['mon-ctl check set-hooks disk -t critical -k processes,open-files'],
  }),
  command('remove-hook <name> <type> <hook>', 'remove a hook', checks('removeHook'), {
    examples: ['mon-ctl check remove-hook disk critical processes'],
  }),
  ...ofPart('proxy-requests'),
  ...ofPart('subdue'),
];
