// Commands of checks, entities, events and silences (API sheet 16.6).
import type { Json } from '../client/api-client.ts';
import { CtlError } from '../failure.ts';
import { at, number, rfc3339, text, timestamp, yesNo } from '../output/values.ts';
import {
  column,
  integerField,
  type KindCommands,
  listField,
  switchField,
  textField,
} from './kind-commands.ts';

const hooks = (check: Json): string =>
  ((check.check_hooks as Record<string, string[] | null>[] | null | undefined) ?? [])
    .flatMap((lists) => Object.entries(lists).map(([type, names]) => `${type}: [${(names ?? []).join(',')}]`))
    .join(', ');

const name = text('metadata.name');

export const checkCommands: KindCommands = {
  words: ['check'],
  path: 'checks',
  name,
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  columns: [
    column('Name', name),
    column('Command', text('command')),
    column('Interval', number('interval')),
    column('Cron', text('cron')),
    column('Timeout', number('timeout')),
    column('TTL', number('ttl')),
    column('Subscriptions', text('subscriptions')),
    column('Handlers', text('handlers')),
    column('Assets', text('runtime_assets')),
    column('Hooks', hooks),
    column('Publish?', yesNo('publish')),
    column('Stdin?', yesNo('stdin')),
    column('Metric Format', text('output_metric_format')),
    column('Metric Handlers', text('output_metric_handlers')),
  ],
  rows: [
    column('Name', name),
    column('Interval', number('interval')),
    column('Command', text('command')),
    column('Cron', text('cron')),
    column('Timeout', number('timeout')),
    column('TTL', number('ttl')),
    column('Subscriptions', text('subscriptions')),
    column('Handlers', text('handlers')),
    column('Runtime Assets', text('runtime_assets')),
    column('Hooks', hooks),
    column('Publish?', yesNo('publish')),
    column('Stdin?', yesNo('stdin')),
    column('Proxy Entity Name', text('proxy_entity_name')),
    column('Namespace', text('metadata.namespace')),
    column('Metric Format', text('output_metric_format')),
    column('Metric Handlers', text('output_metric_handlers')),
  ],
  fields: [
    textField('command', 'command', 'c', 'command line the agent runs', { asked: true }),
    integerField('interval', 'interval', 'i', 'seconds between runs'),
    textField('cron', 'cron', undefined, 'schedule as a cron expression'),
    listField('subscriptions', 'subscriptions', 's', 'subscriptions whose agents run it', {
      otherwise: [],
      asked: true,
    }),
    listField('handlers', 'handlers', undefined, 'handlers of its events', { otherwise: [] }),
    listField('runtime_assets', 'runtime-assets', 'r', 'assets the command runs with', { otherwise: [] }),
    textField('proxy_entity_name', 'proxy-entity-name', undefined, 'entity the events are about'),
    switchField('publish', 'publish', 'p', 'schedule it', { otherwise: true }),
    switchField('stdin', 'stdin', undefined, 'the command reads JSON on standard input', {
      otherwise: false,
    }),
    switchField('round_robin', 'round-robin', undefined, 'one agent of each subscription runs it, in turn', {
      otherwise: false,
    }),
    integerField('timeout', 'timeout', 't', 'seconds the command may take'),
    integerField('ttl', 'ttl', undefined, 'seconds until a missing result is an event'),
    integerField(
      'high_flap_threshold',
      'high-flap-threshold',
      undefined,
      'per cent of change from which it flaps',
    ),
    integerField(
      'low_flap_threshold',
      'low-flap-threshold',
      undefined,
      'per cent of change below which it no longer flaps',
    ),
    listField('output_metric_handlers', 'output-metric-handlers', undefined, 'handlers of its metrics'),
    textField('output_metric_format', 'output-metric-format', undefined, 'format of metrics in its output'),
  ],
  // A check has one schedule.
  follow: (check, changed) => {
    if (changed.has('cron') && changed.has('interval'))
      throw new CtlError('cannot specify --interval and --cron at the same time');
    if (changed.has('cron') && check.cron !== '') delete check.interval;
    if (changed.has('interval')) delete check.cron;
  },
  complete: (check) => {
    if (check.interval === undefined && check.cron === undefined)
      throw new CtlError('must specify --interval or --cron');
    if (check.interval !== undefined && check.cron !== undefined)
      throw new CtlError('cannot specify --interval and --cron at the same time');
  },
};

const lastSeen = ({ last_seen }: Json): string => timestamp(last_seen);

export const entityCommands: KindCommands = {
  words: ['entity'],
  path: 'entities',
  name,
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  columns: [
    column('ID', name),
    column('Class', text('entity_class')),
    column('OS', text('system.os')),
    column('Subscriptions', text('subscriptions')),
    column('Last Seen', lastSeen),
  ],
  rows: [
    column('Name', name),
    column('Entity Class', text('entity_class')),
    column('Subscriptions', text('subscriptions')),
    column('Last Seen', lastSeen),
    column('Hostname', text('system.hostname')),
    column('OS', text('system.os')),
    column('Platform', text('system.platform')),
    column('Platform Family', text('system.platform_family')),
    column('Platform Version', text('system.platform_version')),
    column('Auto-Deregistration', yesNo('deregister')),
    column('Deregistration Handler', text('deregistration.handler')),
  ],
  fields: [
    textField('entity_class', 'entity-class', 'c', 'proxy, or a class of your own', { otherwise: 'proxy' }),
    listField('subscriptions', 'subscriptions', 's', 'subscriptions of the entity', { otherwise: [] }),
  ],
};

const uuid = text('id');
const checkOutput = text('check.output');
const history = ({ check }: Json): string =>
  ((check as { history?: { status: number }[] } | undefined)?.history ?? [])
    .map(({ status }) => status)
    .join(',');

export const eventCommands: KindCommands = {
  words: ['event'],
  path: 'events',
  name: (event) => `${text('entity.metadata.name')(event)}/${text('check.metadata.name')(event)}`,
  nameArgs: ['<entity>', '<check>'],
  verbs: ['list', 'info', 'delete'],
  columns: [
    column('Entity', text('entity.metadata.name')),
    column('Check', text('check.metadata.name')),
    column('Output', checkOutput),
    column('Status', number('check.status')),
    column('Silenced', yesNo('check.is_silenced')),
    column('Timestamp', ({ timestamp: seconds }) => timestamp(seconds)),
    column('UUID', uuid),
  ],
  title: (event) => `${text('entity.metadata.name')(event)} - ${text('check.metadata.name')(event)}`,
  rows: [
    column('Entity', text('entity.metadata.name')),
    column('Check', text('check.metadata.name')),
    column('Output', checkOutput),
    column('Status', number('check.status')),
    column('History', history),
    column('Silenced', yesNo('check.is_silenced')),
    column('Silenced By', text('check.silenced')),
    column('Timestamp', ({ timestamp: seconds }) => timestamp(seconds)),
    column('UUID', uuid),
  ],
};

const begin = (silenced: Json): string => {
  const seconds = at(silenced, 'begin');
  return typeof seconds === 'number' && seconds > 0 ? rfc3339(seconds) : 'N/A';
};
const expiration = ({ expire_at }: Json): string =>
  typeof expire_at === 'number' && expire_at > 0 ? rfc3339(expire_at) : 'no expiration';

export const silencedCommands: KindCommands = {
  words: ['silenced'],
  path: 'silenced',
  name,
  verbs: [],
  // The end is worked out anew; one that is sent would win.
  follow: (silence, changed) => {
    if (changed.has('expire')) delete silence.expire_at;
  },
  columns: [
    column('Name', name),
    column('Subscription', text('subscription')),
    column('Check', text('check')),
    column('Begin', begin),
    column('Expiration', expiration),
    column('ExpireOnResolve', yesNo('expire_on_resolve')),
    column('Creator', text('creator')),
    column('Reason', text('reason')),
    column('Namespace', text('metadata.namespace')),
  ],
  rows: [
    column('Expiration', expiration),
    column('ExpireOnResolve', yesNo('expire_on_resolve')),
    column('Creator', text('creator')),
    column('Check', text('check')),
    column('Reason', text('reason')),
    column('Subscription', text('subscription')),
    column('Namespace', text('metadata.namespace')),
    column('Begin', begin),
  ],
  fields: [
    textField('reason', 'reason', 'r', 'why; shown to everybody'),
    integerField('expire', 'expire', 'e', 'seconds it lasts; -1 for no end', { otherwise: -1 }),
    switchField('expire_on_resolve', 'expire-on-resolve', 'x', 'it ends when the check passes', {
      otherwise: false,
    }),
  ],
};
