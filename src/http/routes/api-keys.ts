// API keys. The key is generated here, returned once in `Location`, and encrypted at rest.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { Resource } from '../../actors/resources/resource-table.ts';
import type { Resources } from '../../actors/resources/resources.ts';
import { MonError } from '../../model/errors.ts';
import { apiKeyKind } from '../../model/kinds/access.ts';
import { findUser } from '../auth/credentials.ts';
import { objectBody } from '../body.ts';
import { isClusterAdmin } from '../grants.ts';
import { decodeResource, validateResource } from '../resource-bodies.ts';
import { collectionUrl, resourceRoutes } from '../resource-routes.ts';
import { type AuthenticatedCall, created, type GuardedRoute, notStored } from '../route.ts';
import { json } from '../route-doc.ts';

const requireUser = (table: Resources, { username }: Resource): void => {
  if (findUser(table, String(username)) === undefined) throw new MonError('invalid', 'user does not exist');
};

/** A key acts as its user, so only that user and cluster admins may access it. */
const isTheirs = (table: Resources, { principal }: AuthenticatedCall, { username }: Resource): boolean =>
  username === principal.username || isClusterAdmin(table, principal);

const requireTheirs = (table: Resources, call: AuthenticatedCall, key: Resource): void => {
  if (isTheirs(table, call, key)) return;
  const { username } = call.principal;
  throw new MonError(
    'permissionDenied',
    `${username} may not write a key of ${key.username}: only ${key.username} and cluster admins may`,
  );
};

/** Only the user of the body is used. */
const bodySchema = z.object({ username: z.string() });

export const apiKeyRoutes = (table: Resources, wallMs: () => number): readonly GuardedRoute[] => [
  ...resourceRoutes(apiKeyKind, table, {
    only: ['list', 'get', 'patch', 'delete'],
    complete: (resource, _call, previous) => {
      requireUser(table, resource);
      return { ...resource, created_at: previous?.created_at };
    },
    mayWrite: (resource, call, previous) => {
      for (const key of previous === undefined ? [resource] : [previous, resource])
        requireTheirs(table, call, key);
    },
    visible: (resource, call) => isTheirs(table, call, resource),
  }),
  {
    method: 'POST',
    url: collectionUrl(apiKeyKind),
    access: { resource: apiKeyKind.rbacResource },
    doc: {
      tag: apiKeyKind.path,
      summary: 'Create an API key; it is returned once, as the last part of Location',
      body: { shape: json(bodySchema, { username: 'admin' }) },
      answers: { 201: { what: 'created; empty body', headers: ['Location'] } },
    },
    handle: async (call) => {
      // Only the user of the body is used; a key chosen by the client might not be secret.
      const { username } = objectBody(call.body);
      const name = randomUUID();
      const key = decodeResource(apiKeyKind, {
        username,
        created_at: Math.floor(wallMs() / 1_000),
        metadata: { name, created_by: call.principal.username },
      });
      validateResource(apiKeyKind, key);
      requireUser(table, key);
      requireTheirs(table, call, key);
      await table.create({ segment: apiKeyKind.path, namespace: '', name }, key);
      return created({ Location: `${call.path}/${name}`, ...notStored });
    },
  },
];
