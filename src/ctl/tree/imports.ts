// Commands that take over the configuration of other products.
import { type CommandSpec, command, flag, workOf } from '../command.ts';

const imports = workOf(() => import('../commands/import.ts'));

const writing = [
  flag('dry-run', 'read and check everything, print the report, and write nothing'),
  flag('skip-invalid', 'leave out what the backend would refuse, instead of writing nothing'),
];

export const importCommands: readonly CommandSpec[] = [
  {
    name: 'import',
    help: 'take over the configuration of another product',
    commands: [
      command(
        'sensu-go',
        'from a backend of the reference product, or from a dump of it',
        imports('importReference'),
        {
          flags: [
            flag('from-url <url>', 'address of its API'),
            flag('from-api-key <key>', 'API key there (also MON_FROM_API_KEY)'),
            flag('from-token <token>', 'access token there (also MON_FROM_TOKEN)'),
            flag('from-username <name>', 'user there'),
            flag('from-password <password>', 'password there (also MON_FROM_PASSWORD)'),
            flag('file,f <path>', 'dump: file, folder or URL; standard input when left out', { whole: true }),
            flag('recursive,r', 'folders in folders too'),
            ...writing,
          ],
          examples: [
            'mon-ctl import sensu-go --from-url https://old.example.org:8080 --from-api-key "$KEY" --dry-run',
            'mon-ctl import sensu-go -f everything.yaml',
          ],
        },
      ),
      command('sensu-core', 'from the JSON files of the generation before it', imports('importCore'), {
        flags: [
          // A list, so that it is not taken for the folder of this program.
          flag('config-dir <dir>', 'folder with its configuration; repeat the flag for several', {
            whole: true,
          }),
          flag('config-file <file>', 'read before the folders'),
          flag('output,o <file>', 'write the translation to this file instead of to the backend'),
          ...writing,
        ],
        examples: [
          'mon-ctl import sensu-core --config-dir /etc/sensu/conf.d --dry-run',
          'mon-ctl import sensu-core --config-dir /etc/sensu/conf.d -o translated.yaml',
        ],
      }),
    ],
  },
];
