// Splits the check of an event into its definition, which stays the same between results, and its result. The
// fields are listed one by one for speed and so that the compiler reports a missing one.
import type { Check, CheckConfig } from './check.ts';

export type Definition = { readonly [Field in keyof Required<CheckConfig>]: Check[Field] };
type Defined = Pick<Check, keyof CheckConfig>;
type Result = { readonly [Field in Exclude<keyof Check, keyof CheckConfig>]: Check[Field] };

export const definitionOf = (check: Check): Definition => ({
  command: check.command,
  handlers: check.handlers,
  high_flap_threshold: check.high_flap_threshold,
  low_flap_threshold: check.low_flap_threshold,
  interval: check.interval,
  cron: check.cron,
  publish: check.publish,
  runtime_assets: check.runtime_assets,
  subscriptions: check.subscriptions,
  proxy_entity_name: check.proxy_entity_name,
  check_hooks: check.check_hooks,
  stdin: check.stdin,
  subdue: check.subdue,
  subdues: check.subdues,
  ttl: check.ttl,
  timeout: check.timeout,
  proxy_requests: check.proxy_requests,
  round_robin: check.round_robin,
  output_metric_format: check.output_metric_format,
  output_metric_handlers: check.output_metric_handlers,
  output_metric_tags: check.output_metric_tags,
  output_metric_thresholds: check.output_metric_thresholds,
  env_vars: check.env_vars,
  max_output_size: check.max_output_size,
  discard_output: check.discard_output,
  secrets: check.secrets,
  pipelines: check.pipelines,
  fallback_pipeline: check.fallback_pipeline,
  ttl_status: check.ttl_status,
  asset_status: check.asset_status,
  metadata: check.metadata,
});

/** All result fields except the history, which is stored separately. */
export const resultOf = (check: Check): Omit<Result, 'history'> => ({
  duration: check.duration,
  executed: check.executed,
  issued: check.issued,
  output: check.output,
  status: check.status,
  hooks: check.hooks,
  scheduler: check.scheduler,
  processed_by: check.processed_by,
  state: check.state,
  total_state_change: check.total_state_change,
  last_ok: check.last_ok,
  occurrences: check.occurrences,
  occurrences_watermark: check.occurrences_watermark,
  silenced: check.silenced,
  is_silenced: check.is_silenced,
  acknowledgement: check.acknowledgement,
  incident_notes: check.incident_notes,
});

/** Whether the two definitions share the same field values by reference, not only by equality. */
export const shareDefinition = (one: Defined, other: Defined): boolean =>
  one.command === other.command &&
  one.handlers === other.handlers &&
  one.high_flap_threshold === other.high_flap_threshold &&
  one.low_flap_threshold === other.low_flap_threshold &&
  one.interval === other.interval &&
  one.cron === other.cron &&
  one.publish === other.publish &&
  one.runtime_assets === other.runtime_assets &&
  one.subscriptions === other.subscriptions &&
  one.proxy_entity_name === other.proxy_entity_name &&
  one.check_hooks === other.check_hooks &&
  one.stdin === other.stdin &&
  one.subdue === other.subdue &&
  one.subdues === other.subdues &&
  one.ttl === other.ttl &&
  one.timeout === other.timeout &&
  one.proxy_requests === other.proxy_requests &&
  one.round_robin === other.round_robin &&
  one.output_metric_format === other.output_metric_format &&
  one.output_metric_handlers === other.output_metric_handlers &&
  one.output_metric_tags === other.output_metric_tags &&
  one.output_metric_thresholds === other.output_metric_thresholds &&
  one.env_vars === other.env_vars &&
  one.max_output_size === other.max_output_size &&
  one.discard_output === other.discard_output &&
  one.secrets === other.secrets &&
  one.pipelines === other.pipelines &&
  one.fallback_pipeline === other.fallback_pipeline &&
  one.ttl_status === other.ttl_status &&
  one.asset_status === other.asset_status &&
  one.metadata === other.metadata;
