// Handlers, filters, mutators and the client of the earlier generation as resources of today.
import { attributesAnnotation } from '../../../model/earlier/attributes.ts';
import { isMap, type Json } from '../../../model/earlier/json.ts';
import { labelsOf, ownOfClient } from '../../../model/earlier/labels.ts';
import type { Report } from '../report.ts';
import { translateCondition } from './expressions.ts';
import { asWhen, eventPath, type Resource, readWindows, resource, strings } from './parts.ts';

interface Place {
  readonly namespace: string;
  readonly report: Report;
}

const severities = ['ok', 'warning', 'critical', 'unknown'];

/** An OK result counts with what it resolves. */
const severityExpression = (wanted: readonly string[]): string => {
  const numbers = wanted.map((severity) => severities.indexOf(severity));
  const before =
    'event.check.history.length > 1 ? event.check.history[event.check.history.length - 2].status : 0';
  return `[${numbers.join(', ')}].indexOf(Math.min(3, event.check.status == 0 ? (${before}) : event.check.status)) >= 0${
    wanted.includes('ok') ? ' || event.check.status == 0' : ''
  }`;
};

const severityFilter = (wanted: readonly string[], namespace: string): Resource =>
  resource(
    'EventFilter',
    { name: `severity-${wanted.join('-')}`, namespace },
    { action: 'allow', expressions: [severityExpression(wanted)] },
  );

/** `occurrences` and `refresh` of the check, as its attributes. */
const occurrencesFilter = (namespace: string): Resource => {
  const number = (name: string, otherwise: number) =>
    `parseInt((event.check.labels || {}).${name} || "${otherwise}")`;
  const [least, refresh] = [number('occurrences', 1), number('refresh', 1800)];
  const again = `(event.check.occurrences - ${least}) % Math.max(1, Math.floor(${refresh} / (event.check.interval || 60))) == 0`;
  return resource(
    'EventFilter',
    { name: 'occurrences', namespace },
    {
      action: 'allow',
      expressions: [`event.check.status == 0 || (event.check.occurrences >= ${least} && ${again})`],
    },
  );
};

const handlerTypes: ReadonlySet<string> = new Set(['pipe', 'tcp', 'udp', 'set']);
const builtInMutators: ReadonlySet<string> = new Set(['only_check_output', 'earlier_event']);

export const translateHandler = (
  name: string,
  handler: Json,
  { namespace, report }: Place,
  definedFilters: ReadonlySet<string>,
): readonly Resource[] => {
  const type = typeof handler.type === 'string' ? handler.type : 'pipe';
  if (!handlerTypes.has(type)) {
    report.leaveOut(`handler ${name}`, `handlers of type ${type} have no counterpart`);
    return [];
  }
  const made: Resource[] = [];
  const filters = handler.handle_silenced === true ? ['is_incident'] : ['is_incident', 'not_silenced'];
  for (const filter of strings(handler.filters ?? handler.filter)) {
    if (definedFilters.has(filter) && filter !== 'occurrences') filters.push(filter);
    else if (filter === 'occurrences') {
      made.push(occurrencesFilter(namespace));
      filters.push('occurrences');
    } else if (filter !== 'check_dependencies')
      report.leaveOut(`handler ${name}: filter ${filter}`, 'no filter of this name is defined');
    // The other one stands in front of every handler by itself, as not_masked.
  }
  const wanted = strings(handler.severities).filter((severity) => severities.includes(severity));
  if (wanted.length > 0 && wanted.length < severities.length) {
    const filter = severityFilter(wanted, namespace);
    made.push(filter);
    filters.push(String(filter.metadata.name));
  }
  const mutator =
    typeof handler.mutator === 'string' ? handler.mutator : type === 'pipe' ? 'earlier_event' : undefined;
  if (mutator === 'earlier_event' && handler.mutator === undefined)
    report.note(`handler ${name}`, 'it gets events in the old shape by the mutator earlier_event');
  const socket = isMap(handler.socket) ? handler.socket : undefined;
  const spec: Json = {
    type,
    ...(typeof handler.command === 'string' ? { command: handler.command } : {}),
    ...(typeof handler.timeout === 'number' ? { timeout: handler.timeout } : {}),
    ...(mutator === undefined ? {} : { mutator }),
    ...(socket === undefined
      ? {}
      : { socket: { host: String(socket.host ?? ''), port: Number(socket.port ?? 0) } }),
    ...(type === 'set' ? { handlers: strings(handler.handlers) } : { filters }),
    ...(handler.handle_silenced === true ? { handle_silenced: true } : {}),
    ...(handler.handle_flapping === true ? { handle_flapping: true } : {}),
    ...(wanted.length > 0 ? { severities: wanted } : {}),
  };
  return [...made, resource('Handler', { name, namespace }, spec)];
};

type Attributes = { readonly expressions: string[]; readonly failed: boolean };

const conditionsOf = (
  name: string,
  attributes: Json,
  report: Report,
  prefix: readonly string[] = [],
): Attributes => {
  const expressions: string[] = [];
  let failed = false;
  for (const [key, value] of Object.entries(attributes)) {
    const path = [...prefix, key];
    if (isMap(value)) {
      const inner = conditionsOf(name, value, report, path);
      expressions.push(...inner.expressions);
      failed ||= inner.failed;
      continue;
    }
    if (path.join('.') === 'action' && (value === 'create' || value === 'resolve')) {
      expressions.push(value === 'create' ? 'event.check.status != 0' : 'event.check.status == 0');
      continue;
    }
    const place = eventPath(path);
    const translated =
      place === undefined
        ? ({ ok: false, why: 'events of today have nothing like it' } as const)
        : translateCondition(value, place, (token) => eventPath(token.split('.')));
    if (translated.ok) expressions.push(translated.text);
    else {
      failed = true;
      report.leaveOut(
        `filter ${name}: attributes.${path.join('.')} ${JSON.stringify(value)}`,
        translated.why,
      );
    }
  }
  return { expressions, failed };
};

/** A filter of which a part can't be expressed would let other events through: it is left out as a whole. */
export const translateFilter = (
  name: string,
  filter: Json,
  { namespace, report }: Place,
): readonly Resource[] => {
  const { expressions, failed } = conditionsOf(
    name,
    isMap(filter.attributes) ? filter.attributes : {},
    report,
  );
  if (failed) {
    report.leaveOut(`filter ${name}`, 'without that part it would decide otherwise');
    return [];
  }
  const { windows, wrong, local } = readWindows(filter.when);
  for (const one of wrong) report.leaveOut(`filter ${name}: when`, `this window can not be read: ${one}`);
  if (local && windows.length > 0)
    report.note(
      `filter ${name}: when`,
      'times without a zone were those of the old server; they are UTC now',
    );
  const negate = filter.negate === true;
  // It drops what fits all of them; a filter of today drops what fits one.
  const joined =
    negate && expressions.length > 1 ? [expressions.map((one) => `(${one})`).join(' && ')] : expressions;
  const spec: Json = {
    action: negate ? 'deny' : 'allow',
    expressions: joined.length === 0 ? [negate ? 'false' : 'true'] : joined,
    ...(windows.length > 0 ? { when: asWhen(windows) } : {}),
  };
  return [resource('EventFilter', { name, namespace }, spec)];
};

export const translateMutator = (
  name: string,
  mutator: Json,
  { namespace, report }: Place,
): readonly Resource[] => {
  if (builtInMutators.has(name)) return [];
  if (typeof mutator.command !== 'string') {
    report.leaveOut(`mutator ${name}`, 'it has no command; extensions in Ruby can not run here');
    return [];
  }
  report.note(`mutator ${name}`, 'it reads events of today; wrap it when it needs the old shape');
  const timeout = typeof mutator.timeout === 'number' ? { timeout: mutator.timeout } : {};
  return [resource('Mutator', { name, namespace }, { type: 'pipe', command: mutator.command, ...timeout })];
};

export const translateClient = (client: Json, { namespace, report }: Place): readonly Resource[] => {
  const { name } = client;
  if (typeof name !== 'string') {
    report.leaveOut(
      'client',
      'it has no name: that of the machine was taken. Give the agent its attributes as labels',
    );
    return [];
  }
  const own = ownOfClient(client);
  const keepalive = isMap(client.keepalive) ? client.keepalive : {};
  if (isMap(keepalive.thresholds))
    report.leaveOut(
      `client ${name}: keepalive.thresholds`,
      'agents set them: --keepalive-warning-timeout and --keepalive-critical-timeout',
    );
  for (const key of [
    'socket',
    'http_socket',
    'safe_mode',
    'registration',
    'signature',
    'servicenow',
    'puppet',
    'chef',
    'ec2',
  ])
    if (client[key] !== undefined)
      report.leaveOut(`client ${name}: ${key}`, 'it has no counterpart on an entity');
  const spec: Json = {
    entity_class: 'proxy',
    subscriptions: strings(client.subscriptions).map((one) =>
      one.replace(/^client:/, 'entity:').replace(/^roundrobin:/, ''),
    ),
    ...(client.deregister === true ? { deregister: true } : {}),
    ...(isMap(client.deregistration) && typeof client.deregistration.handler === 'string'
      ? { deregistration: { handler: client.deregistration.handler } }
      : {}),
    ...(keepalive.handler === undefined && keepalive.handlers === undefined
      ? {}
      : { keepalive_handlers: strings(keepalive.handlers ?? keepalive.handler) }),
    ...(Array.isArray(client.redact) ? { redact: client.redact } : {}),
  };
  report.note(
    `client ${name}`,
    'an agent of this name takes the entity over; its labels and subscriptions stay',
  );
  const metadata = {
    name,
    namespace,
    labels: labelsOf(own),
    annotations: { [attributesAnnotation]: JSON.stringify(own) },
  };
  return [resource('Entity', metadata, spec)];
};
