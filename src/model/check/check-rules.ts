// Validation rules for checks that involve more than one field. Messages and their order match the reference
// product; the first failing rule is reported. Definitions are checked on write, results on arrival.
//
// Both use the same rule set: a result may contain whatever its definition may. Results posted by hand must pass
// three further rules, unless the definition of the check fails the same rule.

import { expressionsFault } from '../expression-syntax.ts';
import { maxListItems, maxUnsigned32, minTtlSeconds } from '../limits.ts';
import type { ResourceReference } from '../resource/metadata.ts';
import { assetNameFault, nameFault, namespaceFault } from '../resource/names.ts';
import { parseCron } from '../time/cron.ts';
import { subdueFault, subduesFault } from '../time/time-windows.ts';
import type { Check, CheckConfig, MetricThreshold, ProxyRequests } from './check.ts';
import { dependsOnFault, metadataTargetsFault } from './dependencies.ts';

/** The supported metric formats of check output. */
const outputMetricFormats: ReadonlySet<string> = new Set([
  'nagios_perfdata',
  'graphite_plaintext',
  'opentsdb_line',
  'influxdb_line',
  'prometheus_text',
]);

type Shared = CheckConfig | Check;

const cronFault = (cron: string): string | null => {
  const reading = parseCron(cron);
  return reading.ok ? null : `check cron string is invalid: ${reading.why}`;
};

const scheduleFault = ({ cron = '', interval }: Shared, without: string): string | null => {
  if (cron !== '' && interval > 0) return 'must only specify either an interval or a cron schedule';
  if (cron !== '') return cronFault(cron);
  return interval > 0 ? null : without;
};

const ttlFault = ({ ttl, interval }: Shared): string | null =>
  ttl > 0 && ttl <= interval ? 'ttl must be greater than check interval' : null;

const assetsFault = (assets: readonly string[] | null): string | null => {
  if (assets === null) return null;
  for (const asset of assets) {
    const why = assetNameFault(asset);
    if (why !== null) return `asset's ${why}`;
  }
  return null;
};

const proxyRequestsFault = (proxy: ProxyRequests): string | null => {
  if (proxy.splay_coverage > 100) return 'proxy request splay coverage must be between 0 and 100';
  if (proxy.splay && proxy.splay_coverage === 0) {
    return 'proxy request splay coverage must be greater than 0 if splay is enabled';
  }
  return expressionsFault(proxy.entity_attributes);
};

const thresholdsFault = (check: Shared): string | null =>
  metricThresholdsFault(check.output_metric_thresholds);

/** The lists of hooks are nested, so all names in them are counted; an empty list is as much work as one with a name. */
const hooksFault = ({ check_hooks: lists }: Shared): string | null => {
  let names = 0;
  for (const hooks of lists ?? []) for (const type in hooks) names += Math.max(1, hooks[type]?.length ?? 0);
  return names <= maxListItems
    ? null
    : `check_hooks must name at most ${maxListItems} hooks, not ${names}: remove some`;
};

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

/** The same for the periods of subdues and the rules of thresholds. */
const nestedFault = ({ subdues, output_metric_thresholds: thresholds }: Shared): string | null => {
  const periods = subdues ? total(subdues.map(({ repeat }) => repeat?.length ?? 0)) : 0;
  if (periods > maxListItems)
    return `subdues must repeat in at most ${maxListItems} periods in all, not ${periods}: remove some`;
  const rules = thresholds ? total(thresholds.map((one) => one.thresholds?.length ?? 0)) : 0;
  return rules <= maxListItems
    ? null
    : `output_metric_thresholds must have at most ${maxListItems} rules in all, not ${rules}: remove some`;
};

const flapFault = ({ low_flap_threshold: low, high_flap_threshold: high }: Shared): string | null =>
  low > 0 && high > 0 && low >= high ? 'invalid flap thresholds' : null;

const variable = /^[^=]+=[\s\S]/;

/** `environment variables must be of the form FOO=BAR`, or null if all are valid. */
export const envVarsFault = (envVars: readonly string[] | null): string | null => {
  if (envVars === null) return null;
  for (const entry of envVars) {
    if (!variable.test(entry)) return 'environment variables must be of the form FOO=BAR';
  }
  return null;
};

const isFloat = (text: string): boolean => text.trim() !== '' && !Number.isNaN(Number(text));

const boundsFault = (min: string, max: string): string | null => {
  if (min === '' && max === '') return 'One of Min or Max required';
  if (min !== '' && !isFloat(min)) return 'Min must be a floating point number';
  return max !== '' && !isFloat(max) ? 'Max must be a floating point number' : null;
};

const thresholdFault = (threshold: MetricThreshold): string | null => {
  const name = nameFault('metric threshold name', threshold.name);
  if (name !== null) return name;
  if (threshold.thresholds.length === 0) return 'there must be at least one threshold rule';
  for (const [index, { min, max }] of threshold.thresholds.entries()) {
    const why = boundsFault(min, max);
    if (why !== null) return `rule ${index}: ${why}`;
  }
  for (const [index, tag] of (threshold.tags ?? []).entries()) {
    const why =
      nameFault('metric threshold tag name', tag.name) ??
      (tag.value === '' ? 'metric threshold tag value must not be empty' : null);
    if (why !== null) return `tag ${index}: ${why}`;
  }
  return null;
};

/** `invalid metric threshold 0: there must be at least one threshold rule`, or null. */
const metricThresholdsFault = (thresholds: readonly MetricThreshold[] | null | undefined): string | null => {
  for (const [index, threshold] of (thresholds ?? []).entries()) {
    const why = thresholdFault(threshold);
    if (why !== null) return `invalid metric threshold ${index}: ${why}`;
  }
  return null;
};

/** The resource types that can act as a pipeline, as `api_version.type`. */
const pipelineTypes: ReadonlySet<string> = new Set(['core/v2.Pipeline', 'core/v2.LegacyPipeline']);

export const pipelineReferenceFault = (reference: ResourceReference): string | null => {
  const type = `${reference.api_version}.${reference.type}`;
  if (pipelineTypes.has(type)) return nameFault('name', reference.name);
  return `resource type not capable of acting as a pipeline: ${type}`;
};

const pipelinesFault = (check: Shared): string | null => {
  if (check.fallback_pipeline && check.pipelines.length > 0) {
    return 'cannot have both pipelines and fallback_pipeline defined at the same time';
  }
  for (const reference of check.pipelines) {
    const why = pipelineReferenceFault(reference);
    if (why !== null) return `pipeline reference is invalid: ${why}`;
  }
  return null;
};

const metricFormatFault = (format: string): string | null =>
  format === '' || outputMetricFormats.has(format)
    ? null
    : `output metric format is not valid: "${format}" (use one of ${[...outputMetricFormats].join(', ')})`;

/** The rules after schedule and TTL, shared by definitions and results. */
const commonFault = (check: Shared): string | null =>
  assetsFault(check.runtime_assets) ??
  (check.subscriptions.includes('') ? 'subscriptions cannot be empty strings' : null) ??
  (check.proxy_entity_name === '' ? null : nameFault('proxy entity name', check.proxy_entity_name)) ??
  hooksFault(check) ??
  nestedFault(check) ??
  (check.proxy_requests ? proxyRequestsFault(check.proxy_requests) : null) ??
  metricFormatFault(check.output_metric_format) ??
  flapFault(check) ??
  envVarsFault(check.env_vars) ??
  (check.subdues ? subduesFault(check.subdues) : null) ??
  subdueFault(check.subdue) ??
  dependsOnFault(check.depends_on) ??
  pipelinesFault(check);

const noSchedule = 'check interval must be greater than 0 or a valid cron schedule must be provided';

const commandFault = ({ command = '' }: CheckConfig): string | null =>
  command.trim() === '' ? 'check command must be set: it is what agents run' : null;

/** The first failing rule of a check definition, or null. */
export const validateCheckConfig = (check: CheckConfig): string | null =>
  nameFault('check name', check.metadata.name) ??
  scheduleFault(check, noSchedule) ??
  namespaceFault(check.metadata.namespace) ??
  ttlFault(check) ??
  commonFault(check) ??
  metadataTargetsFault(check.metadata) ??
  commandFault(check);

const statusFault = (status: number): string | null =>
  status > maxUnsigned32 ? `check.status must be at most ${maxUnsigned32} (got ${status})` : null;

/**
 * The rules for every result. A schedule is required only when `publish` is set, since results posted by hand have
 * none.
 */
const validateResult = (check: Check): string | null =>
  nameFault('check name', check.metadata.name) ??
  (check.publish ? scheduleFault(check, 'check interval must be greater than or equal to 1') : null) ??
  ttlFault(check) ??
  commonFault(check) ??
  statusFault(check.status);

const shortTtlFault = ({ ttl }: Shared): string | null =>
  ttl > 0 && ttl < minTtlSeconds ? `minimum ttl is ${minTtlSeconds} seconds` : null;

const outputSizeFault = ({ max_output_size: bytes = 0 }: Shared): string | null =>
  bytes < 0 ? 'MaxOutputSize must be >= 0' : null;

/** Each rule is skipped if the definition of the check fails it as well: the result then comes from that definition. */
const postedRules: readonly ((check: Shared) => string | null)[] = [
  shortTtlFault,
  outputSizeFault,
  thresholdsFault,
];

/** Finds the definition of a check by its name. */
export type FindDefinition = (check: string) => CheckConfig | undefined;

const noDefinition: FindDefinition = () => undefined;

/** The first failing rule of a result, or null. The definition is looked up only when a rule needs it. */
export const validateCheck = (check: Check, find: FindDefinition = noDefinition): string | null => {
  const fault = validateResult(check);
  if (fault !== null) return fault;
  for (const rule of postedRules) {
    const why = rule(check);
    if (why === null) continue;
    const definition = find(check.metadata.name);
    if (definition === undefined || rule(definition) === null) return why;
  }
  return null;
};
