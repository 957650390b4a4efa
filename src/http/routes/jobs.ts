// Bulk jobs over HTTP: one thing is done to many events, by the backend. Anyone who may list events may start one; every event is
// done only if the caller may do that to it.
import { z } from 'zod';
import type { JobView } from '../../actors/families/job/jobs.ts';
import { maxJobEvents } from '../../actors/families/job/limits.ts';
import { MonError } from '../../model/errors.ts';
import { type JobAction, jobActions, parametersSchemaOf } from '../../model/resource/job.ts';
import { decode } from '../../model/schema/decode.ts';
import { completeSilenced, silencedDurationFault, silencedSchema } from '../../model/silence/silenced.ts';
import { findUser } from '../auth/credentials.ts';
import type { BackendPort } from '../backend-port.ts';
import { filterDoc, filterOf } from '../inspect/events/event-query.ts';
import { authorize } from '../rbac.ts';
import { type AuthenticatedCall, type GuardedRoute, noContent, ok, parameter } from '../route.ts';
import { json, type RouteDoc } from '../route-doc.ts';
import type { SilencingLimits } from './silenced.ts';

const collection = '/api/inspect/v1/namespaces/:namespace/jobs';
const one = `${collection}/:id`;

const orderSchema = z.strictObject({
  action: z.enum(jobActions, { error: `must be one of ${jobActions.join(', ')}` }),
  parameters: z.record(z.string(), z.unknown()).default({}),
  events: z
    .array(z.string().regex(/^[^/]+\/[^/]+$/, 'must be ENTITY/CHECK'))
    .max(maxJobEvents)
    .optional(),
});

const jobSchema = z.object({
  id: z.string(),
  namespace: z.string(),
  action: z.enum(jobActions),
  state: z.enum(['waiting', 'running', 'done', 'canceled']),
  by: z.string(),
  total: z.number(),
  done: z.number(),
  skipped: z.number(),
  failed: z.number(),
  errors: z.array(z.object({ event: z.string(), why: z.string() })),
  created_at: z.number(),
  begins_at: z.number(),
  ended_at: z.number(),
  canceled_by: z.string(),
});

const example = {
  id: '3c5a5a0e-6b5c-4a4e-9d43-7a0a5e6c2b11',
  namespace: 'default',
  action: 'resolve',
  state: 'waiting',
  by: 'admin',
  total: 1928,
  done: 0,
  skipped: 0,
  failed: 0,
  errors: [],
  created_at: 1_700_000_000,
  begins_at: 1_700_000_010,
  ended_at: 0,
  canceled_by: '',
};

const seconds = (ms: number | null): number => (ms === null ? 0 : Math.ceil(ms / 1000));

const shown = (job: JobView) => ({
  id: job.id,
  namespace: job.namespace,
  action: job.action,
  state: job.state,
  by: job.by.username,
  total: job.events.length,
  done: job.done,
  skipped: job.skipped,
  failed: job.failed,
  errors: job.errors,
  created_at: seconds(job.createdAtMs),
  begins_at: seconds(job.beginAtMs),
  ended_at: seconds(job.endedAtMs),
  canceled_by: job.canceledBy ?? '',
});

const tag = 'events';
const docs = {
  start: {
    tag,
    summary: 'Do one thing to many events: those named in the body, or all that the query matches',
    query: filterDoc,
    body: { shape: json(orderSchema, { action: 'resolve' }) },
    answers: {
      202: {
        what: 'the job; one that resolves or deletes begins after 10 seconds, so that it can be canceled',
        shape: json(jobSchema, example),
      },
    },
    refusals: [400, 429],
  },
  list: {
    tag,
    summary: 'List the bulk jobs of a namespace, the last one first',
    answers: { 200: { what: 'the jobs of the last day', shape: json(z.array(jobSchema), [example]) } },
  },
  get: {
    tag,
    summary: 'Get a bulk job: how far it is, and what failed',
    answers: { 200: { what: 'the job', shape: json(jobSchema, example) } },
    refusals: [404],
  },
  cancel: {
    tag,
    summary: 'Cancel a bulk job: events that are not done yet stay as they are',
    answers: { 204: { what: 'canceled' } },
    refusals: [403, 404, 409],
  },
} satisfies Record<string, RouteDoc>;

const access = { resource: 'events', verb: 'list' } as const;

export const jobRoutes = (
  { jobs, resources }: BackendPort,
  wallMs: () => number,
  limits: SilencingLimits,
): readonly GuardedRoute[] => {
  /** What an action needs; the end of silences as for a single one. */
  const parametersOf = (action: JobAction, sent: unknown, creator: string) => {
    const read = decode(parametersSchemaOf(action), sent, 'parameters');
    if (!read.ok) throw new MonError('invalid', read.message);
    if (action !== 'silence') return read.value;
    const nowSeconds = Math.floor(wallMs() / 1000);
    const { defaultExpireSeconds } = limits;
    const sample = completeSilenced(silencedSchema.parse({ ...read.value, check: 'any' }), {
      creator,
      nowSeconds,
      ...(defaultExpireSeconds > 0 ? { defaultExpireSeconds } : {}),
    });
    const fault = silencedDurationFault(sample, nowSeconds, limits.maxExpireSeconds);
    if (fault !== null) throw new MonError('invalid', fault);
    return { ...read.value, expire: sample.expire };
  };

  const find = async (call: AuthenticatedCall): Promise<JobView> => {
    const id = parameter(call, 'id');
    const job = await jobs.get(parameter(call, 'namespace'), id);
    if (job === undefined) throw new MonError('notFound', `there is no job ${id}`);
    return job;
  };

  /** Of another one only by those who may change every event. */
  const requireRight = ({ principal }: AuthenticatedCall, { by, namespace }: JobView): void => {
    if (principal.username === by.username) return;
    const question = { verb: 'update', resource: 'events', namespace, resourceName: '' };
    const decision = authorize(resources, principal, question);
    if (!decision.allow) throw new MonError('permissionDenied', decision.message);
  };

  return [
    {
      method: 'POST',
      url: collection,
      access,
      doc: docs.start,
      handle: async (call) => {
        const order = decode(orderSchema, call.body ?? {}, '');
        if (!order.ok) throw new MonError('invalid', order.message);
        const { action, events } = order.value;
        const { username, groups } = call.principal;
        const parameters = parametersOf(action, order.value.parameters, username);
        const job = await jobs.submit(parameter(call, 'namespace'), {
          action,
          parameters,
          by: { username, groups, isLocal: findUser(resources, username) !== undefined },
          events: events ?? filterOf(call),
        });
        return { status: 202, body: shown(job) };
      },
    },
    {
      method: 'GET',
      url: collection,
      access,
      doc: docs.list,
      handle: async (call) => ok((await jobs.list(parameter(call, 'namespace'))).map(shown)),
    },
    { method: 'GET', url: one, access, doc: docs.get, handle: async (call) => ok(shown(await find(call))) },
    {
      method: 'DELETE',
      url: one,
      access,
      doc: docs.cancel,
      handle: async (call) => {
        const job = await find(call);
        requireRight(call, job);
        await jobs.cancel(job.namespace, job.id, call.principal.username);
        return noContent;
      },
    },
  ];
};
