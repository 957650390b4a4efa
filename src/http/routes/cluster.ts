// The cluster API of the reference product: this backend is the only member. Members cannot be written.
import { z } from 'zod';
import { type AccessRule, type GuardedRoute, ok } from '../route.ts';
import { json } from '../route-doc.ts';
import { clusterId, numberFor } from './operations.ts';

const tag = 'operations';
const root = '/api/core/v2/cluster';
/** Requires a rule on all resources. */
const access: AccessRule = { resource: null, verb: 'get' };

const membersOf = (backendId: string, origin: string) => ({
  header: { cluster_id: clusterId, member_id: numberFor(backendId), raft_term: 1 },
  members: [{ ID: numberFor(backendId), name: backendId, peerURLs: [], clientURLs: [origin] }],
});

export const clusterRoutes = (backendId: string): readonly GuardedRoute[] => [
  {
    method: 'GET',
    url: `${root}/members`,
    access,
    doc: {
      tag,
      summary: 'List the members of the cluster',
      answers: {
        200: {
          what: 'this backend',
          shape: json(
            z.object({ header: z.looseObject({}), members: z.array(z.looseObject({ name: z.string() })) }),
            membersOf('backend-1', 'http://127.0.0.1:8080'),
          ),
        },
      },
    },
    handle: ({ origin }) => ok(membersOf(backendId, origin)),
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
