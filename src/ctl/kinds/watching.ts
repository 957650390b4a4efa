// Commands of checks, entities, events and silences.
import type { SilenceWindow } from '../../model/silence/silence-windows.ts';
import { describeWindow } from '../../model/silence/window-words.ts';
import type { Json } from '../client/api-client.ts';
import { CtlError } from '../failure.ts';
import { at, number, rfc3339, shown, text, timestamp, yesNo } from '../output/values.ts';
import { itemsAt } from './cells.ts';
import { defineKind } from './kind-commands.ts';

const hooks = (check: Json): string =>
  itemsAt(check, 'check_hooks')
    .flatMap((lists) =>
      Object.entries(lists as Record<string, string[] | null>).map(
        ([type, names]) => `${type}: [${(names ?? []).join(',')}]`,
      ),
    )
    .join(', ');

const twoSchedules = () => new CtlError('cannot specify --interval and --cron at the same time');

export const checkCommands = defineKind({
  words: ['check'],
  path: 'checks',
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  example: {
    name: 'disk',
    create: "disk -c 'check-disk.sh -w 80' -i 60 -s linux --handlers mail",
    update: 'disk --interval 30 --subscriptions linux,web',
  },
  cells: {
    Interval: number('interval'),
    Cron: text('cron'),
    TTL: number('ttl'),
    Hooks: hooks,
    'Publish?': yesNo('publish'),
    'Proxy Entity Name': text('proxy_entity_name'),
    'Depends On': text('depends_on'),
    'Metric Format': text('output_metric_format'),
    'Metric Handlers': text('output_metric_handlers'),
  },
  columns: [
    ...[
      'Name',
      'Command',
      'Interval',
      'Cron',
      'Timeout',
      'TTL',
      'Subscriptions',
      'Handlers',
      'Assets',
      'Hooks',
    ],
    ...['Publish?', 'Stdin?', 'Metric Format', 'Metric Handlers'],
  ],
  rows: [
    ...[
      'Name',
      'Interval',
      'Command',
      'Cron',
      'Timeout',
      'TTL',
      'Subscriptions',
      'Handlers',
      'Runtime Assets',
      'Hooks',
    ],
    ...[
      'Publish?',
      'Stdin?',
      'Proxy Entity Name',
      'Depends On',
      'Namespace',
      'Metric Format',
      'Metric Handlers',
    ],
  ],
  fields: [
    ['text command,c', 'command line the agent runs', { asked: true }],
    ['integer interval,i', 'seconds between runs'],
    ['text cron', 'schedule as a cron expression'],
    ['list subscriptions,s', 'subscriptions whose agents run it', { otherwise: [], asked: true }],
    ['list handlers', 'handlers of its events', { otherwise: [] }],
    ['list depends-on', 'what has to work for it: CHECK, ENTITY/CHECK or entity:NAME'],
    ['list runtime-assets,r', 'assets the command runs with', { otherwise: [] }],
    ['text proxy-entity-name', 'entity the events are about'],
    ['switch publish,p', 'schedule it', { otherwise: true }],
    ['switch stdin', 'the command reads JSON on standard input', { otherwise: false }],
    ['switch round-robin', 'one agent of each subscription runs it, in turn', { otherwise: false }],
    ['integer timeout,t', 'seconds the command may take'],
    ['integer ttl', 'seconds until a missing result is an event'],
    ['integer high-flap-threshold', 'percentage of state change from which it flaps'],
    ['integer low-flap-threshold', 'percentage of state change below which it no longer flaps'],
    ['list output-metric-handlers', 'handlers of its metrics'],
    ['text output-metric-format', 'format of metrics in its output'],
  ],
  // A check has one schedule.
  follow: (check, changed) => {
    if (changed.has('cron') && changed.has('interval')) throw twoSchedules();
    if (changed.has('cron') && check.cron !== '') delete check.interval;
    if (changed.has('interval')) delete check.cron;
  },
  complete: (check) => {
    if (check.interval === undefined && check.cron === undefined)
      throw new CtlError('must specify --interval or --cron');
    if (check.interval !== undefined && check.cron !== undefined) throw twoSchedules();
  },
});

export const entityCommands = defineKind({
  words: ['entity'],
  path: 'entities',
  verbs: ['list', 'info', 'create', 'update', 'delete'],
  example: {
    name: 'web01',
    create: 'router01 --entity-class proxy',
    update: 'web01 --subscriptions linux,web',
  },
  cells: {
    ID: text('metadata.name'),
    Class: text('entity_class'),
    'Entity Class': text('entity_class'),
    'Last Seen': ({ last_seen }) => timestamp(last_seen),
    Hostname: text('system.hostname'),
    OS: text('system.os'),
    Platform: text('system.platform'),
    'Platform Family': text('system.platform_family'),
    'Platform Version': text('system.platform_version'),
    'Auto-Deregistration': yesNo('deregister'),
    'Deregistration Handler': text('deregistration.handler'),
  },
  columns: ['ID', 'Class', 'OS', 'Subscriptions', 'Last Seen'],
  rows: [
    ...[
      'Name',
      'Entity Class',
      'Subscriptions',
      'Last Seen',
      'Hostname',
      'OS',
      'Platform',
      'Platform Family',
    ],
    ...['Platform Version', 'Auto-Deregistration', 'Deregistration Handler'],
  ],
  fields: [
    ['text entity-class,c', 'proxy, or a class of your own', { otherwise: 'proxy' }],
    ['list subscriptions,s', 'subscriptions of the entity', { otherwise: [] }],
  ],
});

const entityOf = text('entity.metadata.name');
const checkOf = text('check.metadata.name');

export const eventCommands = defineKind({
  words: ['event'],
  path: 'events',
  name: (event) => `${entityOf(event)}/${checkOf(event)}`,
  nameArgs: ['<entity>', '<check>'],
  verbs: ['list', 'info', 'delete'],
  example: { name: 'web01 disk' },
  cells: {
    Entity: entityOf,
    Check: checkOf,
    Output: text('check.output'),
    Status: number('check.status'),
    History: ({ check }) =>
      itemsAt((check ?? {}) as Json, 'history')
        .map(({ status }) => status)
        .join(','),
    Silenced: yesNo('check.is_silenced'),
    'Silenced By': text('check.silenced'),
    'Masked By': ({ check }) =>
      itemsAt((check ?? {}) as Json, 'masked_by')
        .map(({ entity, check: of, severity }) => `${shown(entity)}/${shown(of)} (${shown(severity)})`)
        .join(', '),
    Owner: text('check.acknowledgement.owner'),
    Comment: text('check.acknowledgement.comment'),
    Notes: ({ check }) =>
      itemsAt((check ?? {}) as Json, 'incident_notes')
        .map(({ at: seconds, by, text: note }) => `${timestamp(seconds)} ${shown(by)}: ${shown(note)}`)
        .join('\n'),
    Timestamp: ({ timestamp: seconds }) => timestamp(seconds),
    UUID: text('id'),
  },
  columns: ['Entity', 'Check', 'Output', 'Status', 'Silenced', 'Timestamp', 'UUID', 'Masked By'],
  title: (event) => `${entityOf(event)} - ${checkOf(event)}`,
  rows: [
    ...['Entity', 'Check', 'Output', 'Status', 'History', 'Silenced', 'Silenced By', 'Masked By'],
    ...['Owner', 'Comment', 'Notes', 'Timestamp', 'UUID'],
  ],
});

/** Seconds since the epoch as RFC 3339; `otherwise` where none are set. */
const timeOr =
  (path: string, otherwise: string) =>
  (silence: Json): string => {
    const seconds = at(silence, path);
    return typeof seconds === 'number' && seconds > 0 ? rfc3339(seconds) : otherwise;
  };

export const silencedCommands = defineKind({
  words: ['silenced'],
  path: 'silenced',
  verbs: [],
  example: { name: 'entity:web01:*' },
  // The end is worked out again; one that is sent would win.
  follow: (silence, changed) => {
    if (changed.has('expire')) delete silence.expire_at;
  },
  cells: {
    Subscription: text('subscription'),
    Check: text('check'),
    Begin: timeOr('begin', 'N/A'),
    Expiration: timeOr('expire_at', 'no expiration'),
    ExpireOnResolve: yesNo('expire_on_resolve'),
    Creator: text('creator'),
    Reason: text('reason'),
    Selector: text('selector'),
    Windows: ({ windows }) =>
      itemsAt({ windows }, 'windows')
        .map((window) => describeWindow(window as SilenceWindow))
        .join(', '),
  },
  columns: [
    ...[
      'Name',
      'Subscription',
      'Check',
      'Selector',
      'Windows',
      'Begin',
      'Expiration',
      'ExpireOnResolve',
      'Creator',
      'Reason',
      'Namespace',
    ],
  ],
  rows: [
    'Expiration',
    'ExpireOnResolve',
    'Creator',
    'Check',
    'Reason',
    'Subscription',
    'Namespace',
    'Begin',
    'Selector',
    'Windows',
  ],
  fields: [
    ['text reason,r', 'why; shown to everybody'],
    ['seconds expire,e', 'how long it lasts, such as 1h30m, or in seconds; -1 for no end', { otherwise: -1 }],
    ['switch expire-on-resolve,x', 'it ends when the check passes', { otherwise: false }],
    ['text selector', "events it silences, as a field selector: event.labels.region == 'eu'"],
  ],
});
