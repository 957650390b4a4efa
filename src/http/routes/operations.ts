// Endpoints for operators and load balancers, without login: health, readiness, version, metrics.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { within } from '../../model/time/within.ts';
import type { BackendPort, HealthReport, MemberHealth } from '../backend-port.ts';
import { healthTimeoutSeconds, maxHealthTimeoutSeconds, startupRetryAfterSeconds } from '../limits.ts';
import type { HttpMetrics } from '../metrics.ts';
import { type Answer, type Call, ok, plainText, type Route } from '../route.ts';
import { json, type RouteDoc } from '../route-doc.ts';

/** Clients change what they send below 5.21; they ignore the part after `#`. */
const referenceVersion = '6.14.0';

export interface OperationsOptions {
  readonly backend: BackendPort;
  readonly metrics: HttpMetrics;
  readonly version: string;
  readonly backendId: string;
  /** Absent for a backend that is no member of a cluster. */
  readonly cluster?: ClusterPort | undefined;
}

/** A member of a cluster, as the API needs it. */
export interface ClusterPort {
  readonly now: () => ClusterView;
  /** Asks every member. */
  readonly members: () => Promise<readonly MemberView[]>;
  /** Asks a member to hand its shards over and to end. Rejects with a MonError. */
  readonly drain: (name: string) => Promise<void>;
}

interface ClusterView {
  /** Why this member should get no requests; absent when it serves its share. */
  readonly why?: string;
  readonly shards: number;
  /** Shards that nobody owns. */
  readonly unowned: number;
  readonly members: readonly {
    readonly name: string;
    readonly state: string;
    /** Its heartbeat has not moved lately. */
    readonly isQuiet: boolean;
  }[];
}

/** What a member says of itself; `shards` is null if it does not answer. */
export interface MemberView {
  readonly name: string;
  readonly state: string;
  readonly shards: number | null;
  readonly moving?: number;
  readonly api?: string;
  readonly version?: string;
  readonly why?: string;
}

/** A number that every client can represent exactly: 48 bits of a digest. */
export const numberFor = (name: string): number =>
  Number.parseInt(createHash('sha256').update(name).digest('hex').slice(0, 12), 16);

export const clusterId = numberFor('cluster');

/** With the other members of the cluster. */
const withOthers = (report: HealthReport, { cluster, backendId }: OperationsOptions): HealthReport => {
  if (cluster === undefined) return report;
  const own = report.members.filter(({ name }) => name === backendId);
  const others = cluster.now().members.filter(({ name }) => name !== backendId);
  const healthOf = ({ name, isQuiet }: (typeof others)[number]): MemberHealth => ({
    name,
    healthy: !isQuiet,
    error: isQuiet ? 'its heartbeat in the store does not move' : '',
  });
  return { ...report, members: [...own, ...others.map(healthOf)] };
};

const memberBody = ({ name, healthy, error }: MemberHealth) => ({
  MemberID: numberFor(name),
  MemberIDHex: numberFor(name).toString(16),
  Name: name,
  Err: error,
  Healthy: healthy,
});

/** The answer of `GET /health`. */
export const healthBody = (report: HealthReport, backendId: string) => ({
  Alarms: null,
  ClusterHealth: report.members.map(memberBody),
  Header: { cluster_id: clusterId, member_id: numberFor(backendId), raft_term: 1 },
  ...(report.store === undefined
    ? {}
    : {
        StoreHealth: [
          { Name: report.store.name, Active: report.store.active, Healthy: report.store.healthy },
        ],
      }),
});

const unhealthy = (name: string, error: string): HealthReport => ({
  members: [{ name, healthy: false, error }],
});

/** Always responds, whatever the state of the backend. */
const healthWithin = ({ backend, backendId }: OperationsOptions, seconds: number) =>
  within(
    backend.health().catch((error: unknown) => unhealthy(backendId, String(error))),
    seconds * 1_000,
    () => unhealthy(backendId, `no response within ${seconds} s`),
  );

/** `GET /health`: always 200; the body contains the status. */
export const answerHealth = async (
  timeout: string | undefined,
  options: OperationsOptions,
): Promise<Answer> => {
  const seconds = timeout === undefined || timeout === '' ? healthTimeoutSeconds : Number(timeout);
  if (!Number.isInteger(seconds) || seconds < 0)
    return plainText(400, `timeout must be a number of seconds (got ${timeout})\n`);
  const bounded = Math.min(seconds, maxHealthTimeoutSeconds);
  const report = withOthers(await healthWithin(options, bounded), options);
  return ok(healthBody(report, options.backendId));
};

const notReady = (why: string): Answer =>
  plainText(503, `not ready${why}\n`, { 'Retry-After': String(startupRetryAfterSeconds) });

/**
 * `GET /ready`: 200 once requests are served, while the store can be read and written. Without it, every write is
 * answered with 503, so a load balancer has nothing to gain here.
 */
export const answerReady = async (options: OperationsOptions): Promise<Answer> => {
  const { backend } = options;
  if (!backend.isReady()) return notReady('');
  if (backend.storeTrouble !== undefined)
    return notReady(`: the store can't be written: ${backend.storeTrouble}`);
  const cluster = options.cluster?.now();
  if (cluster?.why !== undefined) return notReady(`: ${cluster.why}`);
  const { members } = await healthWithin(options, healthTimeoutSeconds);
  const sick = members.find(({ healthy }) => !healthy);
  if (sick !== undefined) return notReady(`: the store can't be read: ${sick.error}`);
  if (cluster === undefined) return plainText(200, 'ready\n');
  const names = cluster.members.map(({ name }) => name).join(', ');
  return plainText(200, `ready: this member serves ${cluster.shards} shards; members: ${names}\n`);
};

const tag = 'operations';
const docs = {
  health: {
    tag,
    summary: 'Health of the cluster members and the store; always 200, the body contains the status',
    query: { timeout: 'seconds to wait for the store' },
    answers: {
      200: {
        what: 'the report',
        shape: json(
          z.object({ ClusterHealth: z.array(z.object({ Name: z.string(), Healthy: z.boolean() })) }),
          {
            Alarms: null,
            ClusterHealth: [{ MemberID: 1, MemberIDHex: '1', Name: 'backend-1', Err: '', Healthy: true }],
            Header: { cluster_id: 1, member_id: 1, raft_term: 1 },
          },
        ),
      },
    },
    plainRefusals: true,
    refusals: [400],
  },
  ready: {
    tag,
    summary: 'Readiness: requests are served, and the store can be read and written; 503 names the reason',
    answers: { 200: { what: 'they are', shape: { type: 'text', example: 'ready' } } },
    plainRefusals: true,
    refusals: [503],
  },
  version: {
    tag,
    summary: 'Version information',
    answers: {
      200: {
        what: 'versions of the program, of the compatible reference product, and of its APIs',
        shape: json(z.object({ mon_backend: z.string(), sensu_backend: z.string() }), {
          mon_backend: '0.1.0',
          sensu_backend: '6.14.0#mon-0.1.0',
          api_groups: { 'core/v2': 'v2.20.0' },
        }),
      },
    },
  },
  metrics: {
    tag,
    summary: 'Prometheus metrics',
    answers: { 200: { what: 'metrics', shape: { type: 'text', example: 'mon_agent_sessions 12' } } },
  },
} satisfies Record<string, RouteDoc>;

const timeoutOf = (call: Call): string | undefined => {
  const { timeout } = call.query;
  return typeof timeout === 'string' ? timeout : timeout?.[0];
};

export const operationRoutes = (options: OperationsOptions): readonly Route[] => [
  {
    method: 'GET',
    url: '/health',
    access: 'public',
    doc: docs.health,
    handle: (call) => answerHealth(timeoutOf(call), options),
  },
  { method: 'GET', url: '/ready', access: 'public', doc: docs.ready, handle: () => answerReady(options) },
  {
    method: 'GET',
    url: '/version',
    access: 'public',
    doc: docs.version,
    handle: () =>
      ok({
        etcd: { etcdserver: '3.5.0', etcdcluster: '3.5.0' },
        mon_backend: options.version,
        sensu_backend: `${referenceVersion}#mon-${options.version}`,
        api_groups: { 'core/v2': 'v2.20.0', 'core/v3': 'v3.9.0' },
      }),
  },
  {
    method: 'GET',
    url: '/metrics',
    access: 'public',
    doc: docs.metrics,
    handle: async () => ({
      status: 200,
      headers: { 'Content-Type': options.metrics.registry.contentType },
      body: await options.metrics.text(),
    }),
  },
];
