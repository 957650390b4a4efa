// Checks of the earlier generation as checks of today.

import { dependsOnFault } from '../../../model/check/dependencies.ts';
import { isMap, type Json } from '../../../model/earlier/json.ts';
import { labelOf, ownOfCheck } from '../../../model/earlier/labels.ts';
import { tokensOfToday } from '../../../model/earlier/tokens.ts';
import { entitySubscription } from '../../../model/resource/names.ts';
import type { Report } from '../report.ts';
import { translateCondition } from './expressions.ts';
import { asSubdues, metadataOf, type Resource, readWindows, resource, strings } from './parts.ts';

/** Meant something to the old server that nothing does here for agents' results. */
const withoutCounterpart: Readonly<Record<string, string>> = {
  aggregate: 'counted for clients of the earlier generation only',
  aggregates: 'counted for clients of the earlier generation only',
  auto_resolve: 'obeyed for clients of the earlier generation only',
  force_resolve: 'there is no such setting',
  truncate_output: 'outputs are not cut; max_output_size sets a limit',
  truncate_output_length: 'outputs are not cut; max_output_size sets a limit',
};

const hookTypes = /^(?:ok|warning|critical|unknown|non-zero|\d+)$/;

const proxyExpressions = (
  name: string,
  attributes: Json,
  report: Report,
  prefix: readonly string[] = [],
): string[] =>
  Object.entries(attributes).flatMap(([key, value]) => {
    const path = [...prefix, key];
    if (isMap(value)) return proxyExpressions(name, value, report, path);
    const field = path.join('.');
    const place =
      field === 'name'
        ? 'entity.name'
        : field === 'subscriptions'
          ? 'entity.subscriptions'
          : `entity.labels.${labelOf(field)}`;
    if (field === 'subscriptions')
      return strings(value).map((one) => `entity.subscriptions.indexOf(${JSON.stringify(one)}) >= 0`);
    const translated = translateCondition(value, place, () => place);
    if (translated.ok) return [translated.text];
    report.leaveOut(`check ${name}: proxy_requests.client_attributes.${field}`, translated.why);
    return [];
  });

interface Hooks {
  readonly resources: readonly Resource[];
  readonly lists: readonly Json[];
}

const hooksOf = (name: string, hooks: unknown, namespace: string, report: Report): Hooks => {
  const resources: Resource[] = [];
  const lists: Json[] = [];
  for (const [type, hook] of Object.entries(isMap(hooks) ? hooks : {})) {
    if (!hookTypes.test(type) || !isMap(hook) || typeof hook.command !== 'string') {
      report.leaveOut(`check ${name}: hook ${type}`, 'it needs a status and a command');
      continue;
    }
    const hookName = `${name}-${type}`;
    const spec = {
      command: tokensOfToday(hook.command),
      timeout: Number(hook.timeout ?? 60),
      stdin: hook.stdin === true,
    };
    resources.push(resource('HookConfig', metadataOf(hookName, namespace, {}, hook.command), spec));
    lists.push({ [type]: [hookName] });
  }
  return { resources, lists };
};

const subscriptionsOf = (
  name: string,
  check: Json,
  clientName: string | undefined,
  report: Report,
): string[] | undefined => {
  if (check.standalone !== true)
    return strings(check.subscribers).map((one) =>
      one.replace(/^roundrobin:/, '').replace(/^client:/, 'entity:'),
    );
  if (clientName === undefined) {
    report.leaveOut(
      `check ${name}`,
      'it is standalone, and no client is defined here that it would run on: give it subscribers',
    );
    return undefined;
  }
  report.note(`check ${name}`, `it was standalone; it now runs where an agent is called "${clientName}"`);
  return [entitySubscription(clientName)];
};

const scheduleOf = (check: Json): Json =>
  typeof check.cron === 'string' ? { cron: check.cron } : { interval: Number(check.interval ?? 60) };

const optional = (check: Json, key: string): Json =>
  typeof check[key] === 'number' ? { [key]: check[key] } : {};

const metricsOf = (name: string, check: Json, handlers: readonly string[], report: Report): Json => {
  if (check.type !== 'metric') return { handlers };
  report.note(
    `check ${name}`,
    'its output is read as graphite_plaintext; set output_metric_format when it is another',
  );
  return { handlers: [], output_metric_format: 'graphite_plaintext', output_metric_handlers: handlers };
};

const targetsOf = (name: string, check: Json, report: Report): Json => {
  const written = strings(check.dependencies);
  const fault = dependsOnFault(written);
  if (fault === null) return written.length === 0 ? {} : { depends_on: written };
  report.leaveOut(`check ${name}: dependencies`, fault);
  return {};
};

export const translateCheck = (
  name: string,
  check: Json,
  {
    namespace,
    clientName,
    report,
  }: { readonly namespace: string; readonly clientName: string | undefined; readonly report: Report },
): readonly Resource[] => {
  if (typeof check.command !== 'string') {
    report.leaveOut(
      `check ${name}`,
      check.extension === undefined ? 'it has no command' : 'extensions in Ruby can not run here',
    );
    return [];
  }
  const subscriptions = subscriptionsOf(name, check, clientName, report);
  if (subscriptions === undefined) return [];
  for (const [key, why] of Object.entries(withoutCounterpart))
    if (check[key] !== undefined) report.leaveOut(`check ${name}: ${key}`, why);
  const own = ownOfCheck(check);
  const handlers = check.handle === false ? [] : strings(check.handlers ?? check.handler ?? 'default');
  const hooks = hooksOf(name, check.hooks, namespace, report);
  const { windows, wrong, local } = readWindows(check.subdue);
  for (const one of wrong) report.leaveOut(`check ${name}: subdue`, `this window can not be read: ${one}`);
  if (local && windows.length > 0)
    report.note(
      `check ${name}: subdue`,
      'times without a zone were those of the old server; they are UTC now',
    );
  const proxy = isMap(check.proxy_requests) ? check.proxy_requests : undefined;
  const spec: Json = {
    command: tokensOfToday(check.command),
    subscriptions,
    ...scheduleOf(check),
    publish: check.publish !== false,
    ...metricsOf(name, check, handlers, report),
    ...optional(check, 'timeout'),
    ...optional(check, 'ttl'),
    ...optional(check, 'ttl_status'),
    ...optional(check, 'low_flap_threshold'),
    ...optional(check, 'high_flap_threshold'),
    ...(strings(check.subscribers).some((one) => one.startsWith('roundrobin:')) ? { round_robin: true } : {}),
    ...(typeof check.source === 'string' ? { proxy_entity_name: check.source } : {}),
    ...targetsOf(name, check, report),
    ...(hooks.lists.length > 0 ? { check_hooks: hooks.lists } : {}),
    ...(windows.length > 0 ? { subdues: asSubdues(windows) } : {}),
    ...(isMap(check.env)
      ? { env_vars: Object.entries(check.env).map(([key, value]) => `${key}=${String(value)}`) }
      : {}),
    ...(proxy === undefined
      ? {}
      : {
          proxy_requests: {
            entity_attributes: proxyExpressions(
              name,
              isMap(proxy.client_attributes) ? proxy.client_attributes : {},
              report,
            ),
            splay: Number(proxy.splay ?? 0) > 0 || proxy.splay === true,
            ...(typeof proxy.splay_coverage === 'number' ? { splay_coverage: proxy.splay_coverage } : {}),
          },
        }),
  };
  const metadata = metadataOf(name, namespace, own, check.command);
  return [...hooks.resources, resource('CheckConfig', metadata, spec)];
};
