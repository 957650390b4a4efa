// Commands of what happens to events: filters, mutators, handlers, pipelines, hooks and assets.
import type { Json } from '../client/api-client.ts';
import { CtlError } from '../failure.ts';
import { at, shown, text } from '../output/values.ts';
import { itemsAt } from './cells.ts';
import { defineKind } from './kind-commands.ts';

const expressions = ({ action, expressions: list }: Json): string =>
  ((list as string[] | null | undefined) ?? [])
    .map((expression) => `(${expression})`)
    .join(action === 'deny' ? ' || ' : ' && ');

export const filterCommands = defineKind({
  words: ['filter'],
  path: 'filters',
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  example: {
    name: 'production',
    create: `production -a allow -s 'event.entity.labels.stage == "production"'`,
    update: 'production -a deny',
  },
  cells: { Action: text('action'), Expressions: expressions, RuntimeAssets: text('runtime_assets') },
  columns: ['Name', 'Action', 'Expressions'],
  rows: ['Name', 'Namespace', 'Action', 'Expressions', 'RuntimeAssets'],
  fields: [
    ['text action,a', 'allow or deny what the expressions say', { asked: true }],
    ['whole-list expressions,s', 'expression in JavaScript; repeat the flag for several', { asked: true }],
    ['list runtime-assets,r', 'assets the expressions run with'],
  ],
});

export const mutatorCommands = defineKind({
  words: ['mutator'],
  path: 'mutators',
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  example: { name: 'pretty', create: "pretty -c 'jq .' -t 5", update: 'pretty --timeout 10' },
  cells: { Eval: text('eval') },
  columns: ['Name', 'Command', 'Environment Variables', 'Timeout', 'Assets'],
  rows: [
    ...['Name', 'Namespace', 'Command', 'Timeout', 'Environment Variables', 'Runtime Assets', 'Type', 'Eval'],
  ],
  fields: [
    ['text command,c', 'command line that reads an event and writes another'],
    ['whole-list env-vars', 'variable of the command, as KEY=value'],
    ['integer timeout,t', 'seconds the command may take'],
    ['list runtime-assets,r', 'assets the command runs with'],
    ['text type', 'pipe or javascript', { otherwise: 'pipe' }],
    ['text eval', 'JavaScript of a mutator of type javascript'],
  ],
});

const execute = (handler: Json): string => {
  const { type } = handler;
  if (type === 'tcp' || type === 'udp')
    return `PUSH: ${type}://${shown(at(handler, 'socket.host'))}:${shown(at(handler, 'socket.port'))}`;
  return type === 'set' ? `CALL: ${text('handlers')(handler)}` : `RUN:  ${text('command')(handler)}`;
};

export const handlerCommands = defineKind({
  words: ['handler'],
  path: 'handlers',
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  example: {
    name: 'mail',
    create: "mail --command 'mail -s alert ops@example.org' --filters is_incident,not_silenced",
    update: 'mail --timeout 10',
  },
  cells: { Execute: execute },
  columns: ['Name', 'Type', 'Timeout', 'Filters', 'Mutator', 'Execute', 'Environment Variables', 'Assets'],
  rows: [
    ...['Name', 'Namespace', 'Type', 'Timeout', 'Filters', 'Mutator', 'Execute', 'Environment Variables'],
    'Runtime Assets',
  ],
  fields: [
    ['text type,t', 'pipe, tcp, udp or set', { otherwise: 'pipe' }],
    ['text command', 'command line of a pipe handler'],
    ['whole-list env-vars', 'variable of the command, as KEY=value'],
    ['list filters', 'filters events pass first'],
    ['list handlers', 'handlers of a set'],
    ['text mutator,m', 'mutator of the events'],
    ['text socket-host', 'host of a tcp or udp handler', { path: 'socket.host' }],
    ['integer socket-port', 'port of a tcp or udp handler', { path: 'socket.port' }],
    ['integer timeout,i', 'seconds it may take'],
    ['list runtime-assets,r', 'assets the command runs with'],
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
});

export const pipelineCommands = defineKind({
  words: ['pipeline'],
  path: 'pipelines',
  verbs: ['list', 'info', 'delete'],
  example: { name: 'incidents' },
  cells: {
    Workflows: (pipeline) =>
      itemsAt(pipeline, 'workflows')
        .map(({ name }) => shown(name))
        .join(','),
  },
  columns: ['Name', 'Workflows'],
  rows: ['Name', 'Namespace', 'Workflows'],
});

export const hookCommands = defineKind({
  words: ['hook'],
  path: 'hooks',
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  example: { name: 'processes', create: "processes -c 'ps aux' -t 10", update: 'processes --timeout 20' },
  columns: ['Name', 'Command', 'Timeout', 'Stdin?'],
  fields: [
    ['text command,c', 'command line that is run', { asked: true }],
    ['integer timeout,t', 'seconds it may take', { otherwise: 60 }],
    ['switch stdin,s', 'the command reads JSON on standard input', { otherwise: false }],
  ],
});

/** How many characters of a hash are shown in a table. */
const shownHash = 7;

/** An asset of one archive has its fields at the top. */
const buildsOf = (asset: Json): readonly Json[] => {
  const builds = itemsAt(asset, 'builds');
  return builds.length === 0 ? [asset] : builds;
};
const ofBuilds =
  (show: (build: Json) => string) =>
  (asset: Json): string =>
    buildsOf(asset).map(show).join('\n');

export const assetCommands = defineKind({
  words: ['asset'],
  path: 'assets',
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  example: {
    name: 'tools',
    create: 'tools -u https://example.org/tools.tar.gz --sha512 "$SHA512"',
    update: 'tools --url https://example.org/tools-2.tar.gz --sha512 "$SHA512"',
  },
  cells: {
    URL: ofBuilds(text('url')),
    Hash: ofBuilds((build) => text('sha512')(build).slice(0, shownHash)),
    'SHA-512 Checksum': ofBuilds(text('sha512')),
    Filters: ofBuilds(text('filters')),
  },
  split: (asset) => buildsOf(asset).map((build) => ({ metadata: asset.metadata, ...build, builds: null })),
  columns: ['Name', 'URL', 'Hash'],
  rows: ['Name', 'Namespace', 'URL', 'SHA-512 Checksum', 'Filters'],
  fields: [
    ['text url,u', 'address of the archive', { asked: true }],
    ['text sha512', 'its SHA-512 checksum', { asked: true }],
    ['whole-list filter', 'expression that says for which machines it is', { path: 'filters' }],
  ],
});
