// What only assets have on the command line, and commands that come as assets.
import {
  type CommandSpec,
  command,
  everywhereFlag,
  flag,
  formatFlag,
  skipConfirmFlag,
  workOf,
} from '../command.ts';

const assets = workOf(() => import('../commands/assets.ts'));
const extensions = workOf(() => import('../commands/extensions.ts'));

const indexFlag = flag(
  'index-url <url>',
  'index of assets to ask (also MON_ASSET_INDEX_URL); none is built in',
);

export const assetSubcommands: readonly CommandSpec[] = [
  command(
    'add <asset>',
    'add an asset of an index, as NAMESPACE/NAME or NAMESPACE/NAME:VERSION',
    assets('addAsset'),
    {
      flags: [flag('rename,r <name>', 'its name here'), indexFlag],
      examples: ['mon-ctl asset add company/disk-checks:1.2.0 --index-url https://assets.example.org'],
    },
  ),
  command('outdated', 'list assets of which an index has a newer version', assets('outdatedAssets'), {
    flags: [indexFlag, everywhereFlag, formatFlag],
    examples: ['mon-ctl asset outdated', 'mon-ctl asset outdated --index-url https://assets.example.org'],
  }),
];

export const extensionCommands: readonly CommandSpec[] = [
  {
    name: 'command',
    help: 'commands of your own, installed from archives',
    commands: [
      command(
        'install <alias> [asset]',
        'install a command from an archive, or from an index of assets',
        extensions('installExtension'),
        {
          flags: [
            flag('url <url>', 'address of a tar archive with bin/entrypoint'),
            flag('checksum <sha512>', 'its SHA-512 checksum'),
            indexFlag,
          ],
          examples: [
            'mon-ctl command install report --url https://example.org/report.tar.gz --checksum "$SHA512"',
            'mon-ctl command install report company/report:1.0.0 --index-url https://assets.example.org',
          ],
        },
      ),
      command(
        'exec <alias> [args...]',
        'run a command; it gets the variables of "mon-ctl env"',
        extensions('runExtension'),
        {
          examples: ['mon-ctl command exec report -- --since yesterday'],
        },
      ),
      command('list', 'list installed commands', extensions('listExtensions'), {
        flags: [formatFlag],
        examples: ['mon-ctl command list'],
      }),
      command('delete <alias>', 'delete a command', extensions('deleteExtension'), {
        flags: [skipConfirmFlag],
        examples: ['mon-ctl command delete report --skip-confirm'],
      }),
    ],
  },
];
