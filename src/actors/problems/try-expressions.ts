// Tries the expressions of a definition on a sample that has everything an event or an entity can have: one that throws
// there throws on every event, as `event.chek.status` does. Labels and annotations an expression names are in the sample.

import { type CheckConfig, checkSchema } from '../../model/check/check.ts';
import { type Entity, entitySchema } from '../../model/entity/entity.ts';
import { toWireEvent } from '../../model/event/wire-shape.ts';
import type { EventFilter } from '../../model/pipeline/event-filter.ts';
import type { Asset } from '../../model/resource/asset.ts';
import type { Problem } from '../../model/resource/problems.ts';
import { candidateJson } from '../../pipeline/candidates.ts';
import type { ExpressionRunner } from '../../pipeline/sandbox/protocol.ts';
import type { Resource } from '../resources/resource-table.ts';

/** What runs too long or too deep on a sample may do better on an event: only these say the text itself is wrong. */
const certain: ReadonlySet<string> = new Set(['threw', 'syntax']);

const namedKeys = /\b(?:labels|annotations)\s*(?:\.\s*([A-Za-z_$][\w$]*)|\[\s*(['"])(.*?)\2\s*\])/g;

const sampleMap = (expression: string): Record<string, string> =>
  Object.fromEntries(
    [...expression.matchAll(namedKeys)].map(([, plain, , quoted]) => [plain ?? quoted ?? '', 'sample']),
  );

const sampleEntity = (map: Record<string, string>): Entity =>
  entitySchema.parse({
    metadata: { name: 'sample', namespace: 'default', labels: map, annotations: map, created_by: 'admin' },
    entity_class: 'agent',
    subscriptions: ['entity:sample', 'linux'],
    user: 'agent',
    deregistration: { handler: 'slack' },
    keepalive_handlers: ['slack'],
    redact: ['password'],
    system: {
      hostname: 'sample',
      os: 'linux',
      platform: 'debian',
      platform_family: 'debian',
      platform_version: '12',
      arch: 'amd64',
      network: { interfaces: [{ name: 'eth0', mac: '00:00:00:00:00:00', addresses: ['192.0.2.1/24'] }] },
      processes: [{ name: 'init' }],
    },
    last_seen: 1_700_000_000,
  });

const sampleEvent = (map: Record<string, string>): string => {
  const metadata = {
    name: 'sample',
    namespace: 'default',
    labels: map,
    annotations: map,
    created_by: 'admin',
  };
  const tags = [{ name: 'host', value: 'sample' }];
  const reference = { name: 'sample', type: 'Pipeline', api_version: 'core/v2' };
  const check = checkSchema.parse({
    metadata,
    command: 'true',
    handlers: ['slack'],
    interval: 60,
    cron: '* * * * *',
    publish: true,
    runtime_assets: ['sample'],
    subscriptions: ['linux'],
    proxy_entity_name: 'sample',
    check_hooks: [{ critical: ['sample'] }],
    subdue: { days: { all: [] } },
    subdues: [{ begin: '2022-04-18T17:00:00Z', end: '2022-04-18T18:00:00Z', repeat: ['daily'] }],
    proxy_requests: { entity_attributes: ['true'], splay: true, splay_coverage: 90 },
    output_metric_format: 'nagios_perfdata',
    output_metric_handlers: ['slack'],
    output_metric_tags: tags,
    output_metric_thresholds: [{ name: 'x', tags, thresholds: [{ min: '1' }] }],
    env_vars: ['A=b'],
    secrets: [{ name: 'A', secret: 'sample' }],
    pipelines: [reference],
    fallback_pipeline: reference,
    asset_status: ['ok'],
    duration: 1,
    executed: 1_700_000_000,
    issued: 1_700_000_000,
    output: 'sample',
    status: 2,
    state: 'failing',
    occurrences: 1,
    occurrences_watermark: 1,
    last_ok: 1_700_000_000,
    processed_by: 'sample',
    silenced: ['linux:*'],
    is_silenced: true,
    hooks: [{ metadata, output: 'sample' }],
    history: [
      { status: 0, executed: 1_699_999_940 },
      { status: 2, executed: 1_700_000_000 },
    ],
  });
  return JSON.stringify(
    toWireEvent({
      timestamp: 1_700_000_000,
      entity: sampleEntity(map),
      check,
      metrics: { handlers: ['slack'], points: [{ name: 'x', value: 1, timestamp: 1_700_000_000, tags }] },
      metadata: { namespace: 'default', labels: map, annotations: map },
      id: '00000000-0000-4000-8000-000000000000',
      sequence: 1,
      pipelines: [reference],
    }),
  );
};

type Runner = Pick<ExpressionRunner, 'evaluate'>;

/** The first sentence of an error: what follows is a stack. */
const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

const maxQuotedCharacters = 200;
const clipped = (text: string): string =>
  text.length > maxQuotedCharacters ? `${text.slice(0, maxQuotedCharacters)}...` : text;

const tryAll = async (
  runner: Runner,
  field: string,
  expressions: readonly string[],
  sampleOf: (map: Record<string, string>) => string,
  effect: string,
): Promise<readonly Problem[]> => {
  const found: Problem[] = [];
  for (const [index, expression] of expressions.entries()) {
    const program = { name: field, action: 'deny', expressions: [expression], scripts: [] } as const;
    const [run] = await runner.evaluate(sampleOf(sampleMap(expression)), 1_700_000_000_000, [program]);
    const outcome = run?.outcomes[0];
    if (outcome?.type !== 'failed' || !certain.has(outcome.kind)) continue;
    const message = `${field}[${index}]: ${JSON.stringify(clipped(expression))} fails on a sample: ${firstLine(outcome.message)}; ${effect}`;
    found.push({ why: 'expressionFails', field, message });
  }
  return found;
};

/** Problems of the expressions of one definition. What brings assets along is not tried: it may define what it calls. */
export const tryExpressions = async (
  runner: Runner,
  segment: string,
  resource: Resource,
): Promise<readonly Problem[]> => {
  const ofEntity = (map: Record<string, string>): string => candidateJson(sampleEntity(map));
  switch (segment) {
    case 'filters': {
      const { expressions, runtime_assets: assets } = resource as unknown as EventFilter;
      if ((assets ?? []).length > 0) return [];
      return tryAll(
        runner,
        'expressions',
        expressions,
        sampleEvent,
        'it is passed over, so it stops nothing',
      );
    }
    case 'checks': {
      const { proxy_requests: proxies } = resource as unknown as CheckConfig;
      const expressions = proxies?.entity_attributes ?? [];
      return tryAll(
        runner,
        'proxy_requests.entity_attributes',
        expressions,
        ofEntity,
        'it matches no entity',
      );
    }
    case 'assets': {
      const { filters, builds } = resource as unknown as Asset;
      const expressions = [...(filters ?? []), ...(builds ?? []).flatMap((build) => build.filters ?? [])];
      const sample = (map: Record<string, string>): string =>
        JSON.stringify({ is_candidate: true, entity: sampleEntity(map) });
      return tryAll(runner, 'filters', expressions, sample, 'the asset is never used');
    }
    default:
      return [];
  }
};
