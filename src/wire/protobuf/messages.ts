// The binary messages of the agent protocol: field numbers from the published schema of the reference product, with
// our JSON keys. Omitted: extended attributes and the flapping of past results, which have no JSON key, and the
// older form of `subdue`, which has no effect.
import {
  double,
  flag,
  integer,
  type Json,
  long,
  many,
  message,
  messageMap,
  one,
  text,
  textMap,
  texts,
  uuid,
} from './table.ts';

const metadata = message('ObjectMeta', {
  name: text(1),
  namespace: text(2),
  labels: textMap(3),
  annotations: textMap(4),
  created_by: text(5),
});

const reference = message('ResourceReference', { name: text(1), type: text(2), api_version: text(3) });
const secret = message('Secret', { name: text(1), secret: text(2) });
const tag = message('MetricTag', { name: text(1), value: text(2) });
const timeWindow = message('TimeWindowRepeated', { begin: text(1), end: text(2), repeat: texts(3) });

const threshold = message('MetricThreshold', {
  name: text(1),
  tags: many(2, tag),
  thresholds: many(3, message('MetricThresholdRule', { min: text(1), max: text(2), status: integer(3) })),
  null_status: integer(4),
});

const proxyRequests = message('ProxyRequests', {
  entity_attributes: texts(1),
  splay: flag(2),
  splay_coverage: integer(3),
});

/** `{"critical": ["ps"]}` in JSON; in binary the status is a separate field. */
const hookList = message(
  'HookList',
  { hooks: texts(1), type: text(2) },
  {
    toMessages: (json) => Object.entries(json).map(([type, hooks]) => ({ type, hooks })),
    toJson: ({ type = '', hooks = [] }) => ({ [String(type)]: hooks }),
  },
);

const hookConfig = message('HookConfig', {
  metadata: one(1, metadata),
  command: text(2),
  timeout: integer(3),
  stdin: flag(4),
  runtime_assets: texts(5),
});

/** In JSON, the fields of the definition and of the result are in one object. */
const hook = message(
  'Hook',
  {
    config: one(1, hookConfig),
    duration: double(2),
    executed: integer(3),
    issued: integer(4),
    output: text(5),
    status: integer(6),
  },
  {
    toMessages: (json) => [{ ...json, config: json }],
    toJson: ({ config, ...result }) => ({ ...(config as Json | undefined), ...result }),
  },
);

const build = message('AssetBuild', {
  url: text(2),
  sha512: text(3),
  filters: texts(5),
  headers: textMap(9),
});
const asset = message('Asset', {
  url: text(2),
  sha512: text(3),
  filters: texts(5),
  builds: many(6, build),
  metadata: one(8, metadata),
  headers: textMap(9),
});

/** These numbers are the same in definitions and results. */
const sharedCheckFields = {
  command: text(1),
  handlers: texts(3),
  high_flap_threshold: integer(4),
  interval: integer(5),
  low_flap_threshold: integer(6),
  publish: flag(9),
  runtime_assets: texts(10),
  subscriptions: texts(11),
  proxy_entity_name: text(13),
  check_hooks: many(14, hookList),
  stdin: flag(15),
  cron: text(17),
  ttl: integer(18),
  timeout: integer(19),
  proxy_requests: one(20, proxyRequests),
  round_robin: flag(21),
};

const checkConfig = message('CheckConfig', {
  ...sharedCheckFields,
  output_metric_format: text(22),
  output_metric_handlers: texts(23),
  env_vars: texts(24),
  metadata: one(26, metadata),
  max_output_size: integer(27),
  discard_output: flag(28),
  secrets: many(29, secret),
  output_metric_tags: many(30, tag),
  scheduler: text(31),
  pipelines: many(32, reference),
  output_metric_thresholds: many(33, threshold),
  subdues: many(34, timeWindow),
  fallback_pipeline: one(35, reference),
  ttl_status: integer(36),
  asset_status: texts(37),
});

const check = message('Check', {
  ...sharedCheckFields,
  duration: double(22),
  executed: integer(23),
  history: many(24, message('CheckHistory', { status: integer(1), executed: integer(2), flapping: flag(3) })),
  issued: integer(25),
  output: text(26),
  state: text(27),
  status: integer(28),
  total_state_change: integer(29),
  last_ok: integer(30),
  occurrences: integer(31),
  occurrences_watermark: integer(32),
  silenced: texts(33),
  hooks: many(34, hook),
  output_metric_format: text(35),
  output_metric_handlers: texts(36),
  env_vars: texts(37),
  metadata: one(38, metadata),
  max_output_size: integer(39),
  discard_output: flag(40),
  secrets: many(41, secret),
  is_silenced: flag(42),
  output_metric_tags: many(43, tag),
  scheduler: text(44),
  processed_by: text(45),
  pipelines: many(46, reference),
  output_metric_thresholds: many(47, threshold),
  subdues: many(48, timeWindow),
  fallback_pipeline: one(49, reference),
  ttl_status: integer(50),
  asset_status: texts(51),
});

const deregistration = message('Deregistration', { handler: text(1) });

const system = message('System', {
  hostname: text(1),
  os: text(2),
  platform: text(3),
  platform_family: text(4),
  platform_version: text(5),
  network: one(
    6,
    message('Network', {
      interfaces: many(1, message('NetworkInterface', { name: text(1), mac: text(2), addresses: texts(3) })),
    }),
  ),
  arch: text(7),
  arm_version: integer(8),
  libc_type: text(9),
  vm_system: text(10),
  vm_role: text(11),
  cloud_provider: text(12),
  float_type: text(13),
  processes: many(14, message('Process', { name: text(1) })),
});

const entity = message('Entity', {
  entity_class: text(1),
  system: one(3, system),
  subscriptions: texts(4),
  last_seen: integer(5),
  deregister: flag(6),
  deregistration: one(7, deregistration),
  user: text(11),
  redact: texts(13),
  metadata: one(14, metadata),
  sensu_agent_version: text(15),
  keepalive_handlers: texts(16),
});

const metricPoint = message('MetricPoint', {
  name: text(1),
  value: double(2),
  timestamp: long(3),
  tags: many(4, tag),
});

/** For `event` and `keepalive` frames. */
export const eventMessage = message('Event', {
  timestamp: integer(1),
  entity: one(2, entity),
  check: one(3, check),
  metrics: one(4, message('Metrics', { handlers: texts(1), points: many(2, metricPoint) })),
  metadata: one(5, metadata),
  id: uuid(6),
  sequence: integer(7),
  pipelines: many(8, reference),
  fallback_pipeline: one(9, reference),
});

export const checkRequestMessage = message('CheckRequest', {
  config: one(1, checkConfig),
  assets: many(2, asset),
  hooks: many(3, hookConfig),
  issued: integer(4),
  hook_assets: messageMap(5, message('AssetList', { assets: many(1, asset) })),
  secrets: texts(6),
});

export const entityConfigMessage = message('EntityConfig', {
  metadata: one(1, metadata),
  entity_class: text(2),
  user: text(3),
  subscriptions: texts(4),
  deregister: flag(5),
  deregistration: one(6, deregistration),
  keepalive_handlers: texts(7),
  redact: texts(8),
});
