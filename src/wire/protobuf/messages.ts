// The binary messages of the agent protocol: field numbers from the published schema of the reference product, with
// our JSON keys. Omitted: extended attributes and the flapping of past results, which have no JSON key, and the
// older form of `subdue`, which has no effect.
import { checkFields } from './check-fields.ts';
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

export const metadataMessage = message('ObjectMeta', {
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
  metadata: one(1, metadataMessage),
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
  metadata: one(8, metadataMessage),
  headers: textMap(9),
});

/** What the fields of checks with objects in them consist of. The fields themselves are rows of model/check. */
const inChecks = {
  metadata: metadataMessage,
  proxy_requests: proxyRequests,
  check_hooks: hookList,
  secrets: secret,
  pipelines: reference,
  fallback_pipeline: reference,
  output_metric_tags: tag,
  output_metric_thresholds: threshold,
  subdues: timeWindow,
  history: message('CheckHistory', { status: integer(1), executed: integer(2), flapping: flag(3) }),
  hooks: hook,
};

const checkConfig = message('CheckConfig', checkFields('definition', inChecks));
export const checkMessage = message('Check', checkFields('result', inChecks));

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

export const entityMessage = message('Entity', {
  entity_class: text(1),
  system: one(3, system),
  subscriptions: texts(4),
  last_seen: integer(5),
  deregister: flag(6),
  deregistration: one(7, deregistration),
  user: text(11),
  redact: texts(13),
  metadata: one(14, metadataMessage),
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
  entity: one(2, entityMessage),
  check: one(3, checkMessage),
  metrics: one(4, message('Metrics', { handlers: texts(1), points: many(2, metricPoint) })),
  metadata: one(5, metadataMessage),
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
  metadata: one(1, metadataMessage),
  entity_class: text(2),
  user: text(3),
  subscriptions: texts(4),
  deregister: flag(5),
  deregistration: one(6, deregistration),
  keepalive_handlers: texts(7),
  redact: texts(8),
});
