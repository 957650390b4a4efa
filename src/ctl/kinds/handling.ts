// Commands of what happens to events: filters, mutators, handlers, pipelines, hooks and assets (API sheet 16.6).
import type { Json } from '../client/api-client.ts';
import { CtlError } from '../failure.ts';
import { at, number, shown, text, yesNo } from '../output/values.ts';
import {
  column,
  integerField,
  type KindCommands,
  listField,
  switchField,
  textField,
  wholeListField,
} from './kind-commands.ts';

const name = text('metadata.name');
const namespace = column('Namespace', text('metadata.namespace'));

const expressions = ({ action, expressions: list }: Json): string =>
  ((list as string[] | null | undefined) ?? [])
    .map((expression) => `(${expression})`)
    .join(action === 'deny' ? ' || ' : ' && ');

export const filterCommands: KindCommands = {
  words: ['filter'],
  path: 'filters',
  name,
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  columns: [column('Name', name), column('Action', text('action')), column('Expressions', expressions)],
  rows: [
    column('Name', name),
    namespace,
    column('Action', text('action')),
    column('Expressions', expressions),
    column('RuntimeAssets', text('runtime_assets')),
  ],
  fields: [
    textField('action', 'action', 'a', 'allow or deny what the expressions say', { asked: true }),
    wholeListField(
      'expressions',
      'expressions',
      's',
      'expression in JavaScript; repeat the flag for several',
      { asked: true },
    ),
    listField('runtime_assets', 'runtime-assets', 'r', 'assets the expressions run with'),
  ],
};

export const mutatorCommands: KindCommands = {
  words: ['mutator'],
  path: 'mutators',
  name,
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  columns: [
    column('Name', name),
    column('Command', text('command')),
    column('Environment Variables', text('env_vars')),
    column('Timeout', number('timeout')),
    column('Assets', text('runtime_assets')),
  ],
  rows: [
    column('Name', name),
    namespace,
    column('Command', text('command')),
    column('Timeout', number('timeout')),
    column('Environment Variables', text('env_vars')),
    column('Runtime Assets', text('runtime_assets')),
    column('Type', text('type')),
    column('Eval', text('eval')),
  ],
  fields: [
    textField('command', 'command', 'c', 'command line that reads an event and writes another'),
    wholeListField('env_vars', 'env-vars', undefined, 'variable of the command, as KEY=value'),
    integerField('timeout', 'timeout', 't', 'seconds the command may take'),
    listField('runtime_assets', 'runtime-assets', 'r', 'assets the command runs with'),
    textField('type', 'type', undefined, 'pipe or javascript', { otherwise: 'pipe' }),
    textField('eval', 'eval', undefined, 'JavaScript of a mutator of type javascript'),
  ],
};

const execute = (handler: Json): string => {
  const { type } = handler;
  if (type === 'tcp' || type === 'udp')
    return `PUSH: ${type}://${shown(at(handler, 'socket.host'))}:${shown(at(handler, 'socket.port'))}`;
  return type === 'set' ? `CALL: ${text('handlers')(handler)}` : `RUN:  ${text('command')(handler)}`;
};

export const handlerCommands: KindCommands = {
  words: ['handler'],
  path: 'handlers',
  name,
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  columns: [
    column('Name', name),
    column('Type', text('type')),
    column('Timeout', number('timeout')),
    column('Filters', text('filters')),
    column('Mutator', text('mutator')),
    column('Execute', execute),
    column('Environment Variables', text('env_vars')),
    column('Assets', text('runtime_assets')),
  ],
  rows: [
    column('Name', name),
    namespace,
    column('Type', text('type')),
    column('Timeout', number('timeout')),
    column('Filters', text('filters')),
    column('Mutator', text('mutator')),
    column('Execute', execute),
    column('Environment Variables', text('env_vars')),
    column('Runtime Assets', text('runtime_assets')),
  ],
  fields: [
    textField('type', 'type', 't', 'pipe, tcp, udp or set', { otherwise: 'pipe' }),
    textField('command', 'command', undefined, 'command line of a pipe handler'),
    wholeListField('env_vars', 'env-vars', undefined, 'variable of the command, as KEY=value'),
    listField('filters', 'filters', undefined, 'filters events pass first'),
    listField('handlers', 'handlers', undefined, 'handlers of a set'),
    textField('mutator', 'mutator', 'm', 'mutator of the events'),
    textField('socket.host', 'socket-host', undefined, 'host of a tcp or udp handler'),
    integerField('socket.port', 'socket-port', undefined, 'port of a tcp or udp handler'),
    integerField('timeout', 'timeout', 'i', 'seconds it may take'),
    listField('runtime_assets', 'runtime-assets', 'r', 'assets the command runs with'),
  ],
  complete: ({ type, command, socket, handlers }) => {
    if (type === 'pipe' && command === undefined) throw new CtlError('must specify --command');
    if (
      (type === 'tcp' || type === 'udp') &&
      (at(socket, 'host') === undefined || at(socket, 'port') === undefined)
    )
      throw new CtlError('must specify --socket-host and --socket-port');
    if (type === 'set' && handlers === undefined) throw new CtlError('must specify --handlers');
  },
};

const workflows = ({ workflows: list }: Json): string =>
  ((list as { name?: string }[] | null | undefined) ?? []).map((flow) => flow.name ?? '').join(',');

export const pipelineCommands: KindCommands = {
  words: ['pipeline'],
  path: 'pipelines',
  name,
  verbs: ['list', 'info', 'delete'],
  columns: [column('Name', name), column('Workflows', workflows)],
  rows: [column('Name', name), namespace, column('Workflows', workflows)],
};

export const hookCommands: KindCommands = {
  words: ['hook'],
  path: 'hooks',
  name,
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  columns: [
    column('Name', name),
    column('Command', text('command')),
    column('Timeout', number('timeout')),
    column('Stdin?', yesNo('stdin')),
  ],
  fields: [
    textField('command', 'command', 'c', 'command line that is run', { asked: true }),
    integerField('timeout', 'timeout', 't', 'seconds it may take', { otherwise: 60 }),
    switchField('stdin', 'stdin', 's', 'the command reads JSON on standard input', { otherwise: false }),
  ],
};

/** How many characters of a hash are shown in a table. */
const shownHash = 7;

export const assetCommands: KindCommands = {
  words: ['asset'],
  path: 'assets',
  name,
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  columns: [
    column('Name', name),
    column('URL', text('url')),
    column('Hash', (asset) => text('sha512')(asset).slice(0, shownHash)),
  ],
  rows: [
    column('Name', name),
    namespace,
    column('URL', text('url')),
    column('SHA-512 Checksum', text('sha512')),
    column('Filters', text('filters')),
  ],
  fields: [
    textField('url', 'url', 'u', 'address of the archive', { asked: true }),
    textField('sha512', 'sha512', undefined, 'its SHA-512 checksum', { asked: true }),
    wholeListField('filters', 'filter', undefined, 'expression that says for which machines it is'),
  ],
};
