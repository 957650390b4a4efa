// Keepalives: events whose check is `keepalive`.
import { type Check, checkSchema } from '../../model/check/check.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { CheckEvent } from '../../model/event/event.ts';
import type { ResourceReference } from '../../model/resource/metadata.ts';
import { keepaliveCheckName } from '../../model/resource/names.ts';
import type { AgentConfig } from '../flags.ts';

const referencePattern = /^(\w+\/v\d+)\.(\w+)(?:\.|\s+)([\w.\-:]+)$/;

/** `core/v2.Pipeline.incident` as a reference; null for anything else. */
const parsePipeline = (text: string): ResourceReference | null => {
  const match = referencePattern.exec(text.trim());
  if (match === null) return null;
  return { api_version: match[1] ?? '', type: match[2] ?? '', name: match[3] ?? '' };
};

export const keepalivePipelines = (
  texts: readonly string[],
): { pipelines: ResourceReference[] | null; bad: string[] } => {
  const parsed = texts.map((text) => ({ text, reference: parsePipeline(text) }));
  const pipelines = parsed.flatMap(({ reference }) => (reference === null ? [] : [reference]));
  return {
    pipelines: pipelines.length === 0 ? null : pipelines,
    bad: parsed.filter(({ reference }) => reference === null).map(({ text }) => text),
  };
};

/** Interval, timeout and ttl of this check configure the backend's keepalive monitoring, in seconds. */
const keepaliveCheck = (config: AgentConfig): Check =>
  checkSchema.parse({
    interval: config.keepaliveInterval,
    timeout: config.keepaliveWarningTimeout,
    ttl: config.keepaliveCriticalTimeout,
    metadata: { name: keepaliveCheckName, namespace: config.namespace },
  });

export interface KeepaliveStamp {
  readonly nowSeconds: number;
  readonly id: string;
  /** Starts at 1 with every session. */
  readonly sequence: number;
}

export const buildKeepalive = (config: AgentConfig, entity: Entity, stamp: KeepaliveStamp): CheckEvent => ({
  timestamp: stamp.nowSeconds,
  entity,
  check: keepaliveCheck(config),
  metadata: {
    namespace: config.namespace,
    labels: { ...config.keepaliveCheckLabels },
    annotations: { ...config.keepaliveCheckAnnotations },
  },
  id: stamp.id,
  sequence: stamp.sequence,
  pipelines: keepalivePipelines(config.keepalivePipelines).pipelines,
});
