// The members of the cluster: as the reference product lists them, and with what each of them serves.
import { z } from 'zod';
import { MonError } from '../../model/errors.ts';
import { type AccessRule, type GuardedRoute, ok } from '../route.ts';
import { json } from '../route-doc.ts';
import { clusterId, type MemberView, numberFor, type OperationsOptions } from './operations.ts';

const tag = 'operations';
const root = '/api/core/v2/cluster';
/** Requires a rule on all resources. */
const access: AccessRule = { resource: null, verb: 'get' };

const membersOf = (backendId: string, members: readonly Pick<MemberView, 'name' | 'api'>[]) => ({
  header: { cluster_id: clusterId, member_id: numberFor(backendId), raft_term: 1 },
  members: members.map(({ name, api = '' }) => ({
    ID: numberFor(name),
    name,
    peerURLs: [],
    clientURLs: api === '' ? [] : [api],
  })),
});

const statusSchema = z.object({
  cluster: z.boolean(),
  shards_without_owner: z.int(),
  members: z.array(
    z.object({
      name: z.string(),
      state: z.string(),
      shards: z.int().nullable(),
      moving: z.int().optional(),
      api: z.string().optional(),
      version: z.string().optional(),
      why: z.string().optional(),
    }),
  ),
});

const statusExample = {
  cluster: true,
  shards_without_owner: 0,
  members: [
    { name: 'b1', state: 'serving', shards: 130, moving: 0, api: 'http://b1:8080', version: '0.1.0' },
    { name: 'b2', state: 'serving', shards: 126, moving: 0, api: 'http://b2:8080', version: '0.1.0' },
  ],
};

const statusOf = async ({ cluster, backendId, version }: OperationsOptions) => {
  if (cluster === undefined)
    return {
      cluster: false,
      shards_without_owner: 0,
      members: [{ name: backendId, state: 'serving', shards: null, version }],
    };
  const members = await cluster.members();
  return { cluster: true, shards_without_owner: cluster.now().unowned, members };
};

const statusRoutes = (options: OperationsOptions): readonly GuardedRoute[] => [
  {
    method: 'GET',
    url: '/api/inspect/v1/cluster',
    access,
    doc: {
      tag,
      summary: 'The members of the cluster and how many shards each of them serves',
      answers: {
        200: {
          what: 'every member, also one that does not answer: its `shards` is null, and `why` says why',
          shape: json(statusSchema, statusExample),
        },
      },
    },
    handle: async () => ok(await statusOf(options)),
  },
  {
    method: 'POST',
    url: '/api/inspect/v1/cluster/members/:name/drain',
    access: { resource: null, verb: 'update' },
    doc: {
      tag,
      summary: 'Tell a member to hand its shards over to the others and to end, as SIGTERM does',
      answers: { 202: { what: 'it was told' } },
      refusals: [404, 409, 503],
    },
    async handle({ parameters: { name = '' } }) {
      const { cluster } = options;
      if (cluster === undefined) throw new MonError('conflict', 'this backend is no member of a cluster');
      if (!cluster.now().members.some((member) => member.name === name))
        throw new MonError('notFound', `there is no member called ${name}`);
      await cluster.drain(name);
      return { status: 202 };
    },
  },
];

export const clusterRoutes = (options: OperationsOptions): readonly GuardedRoute[] => [
  ...statusRoutes(options),
  {
    method: 'GET',
    url: `${root}/members`,
    access,
    doc: {
      tag,
      summary: 'List the members of the cluster',
      answers: {
        200: {
          what: 'this backend, or every member of the cluster',
          shape: json(
            z.object({ header: z.looseObject({}), members: z.array(z.looseObject({ name: z.string() })) }),
            membersOf('backend-1', [{ name: 'backend-1', api: 'http://127.0.0.1:8080' }]),
          ),
        },
      },
    },
    handle: async ({ origin }) => {
      const { backendId, cluster } = options;
      const members = (await cluster?.members()) ?? [{ name: backendId, api: origin }];
      return ok(membersOf(backendId, members));
    },
  },
  {
    method: 'GET',
    url: `${root}/id`,
    access,
    doc: {
      tag,
      summary: 'Get the cluster id',
      answers: {
        200: { what: 'hexadecimal, as a JSON string', shape: json(z.string(), clusterId.toString(16)) },
      },
    },
    handle: () => ({
      status: 200,
      headers: { 'Content-Type': 'application/json; charset=utf-8' },
      body: JSON.stringify(clusterId.toString(16)),
    }),
  },
];
