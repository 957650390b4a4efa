// All API routes. Kinds without special behavior use the generic routes.
import type { KeyObject } from 'node:crypto';
import { authProviderKind, secretKind, secretsProviderKind } from '../../model/kinds/providers.ts';
import { resourceKinds } from '../../model/resource/resource-kinds.ts';
import type { Authenticator } from '../auth/authenticator.ts';
import type { HashingQueue } from '../auth/hashing-queue.ts';
import type { Issuers } from '../auth/providers/issuers.ts';
import type { BackendPort } from '../backend-port.ts';
import { createEntityOperations } from '../entity-operations.ts';
import { requireClusterAdmin } from '../grants.ts';
import { resourceRoutes } from '../resource-routes.ts';
import { okWithTag, type Route } from '../route.ts';
import { one } from '../route-doc.ts';
import { accessRoutes } from './access.ts';
import { apiKeyRoutes } from './api-keys.ts';
import { authRoutes, refreshRoute } from './auth.ts';
import { checkRoutes } from './checks.ts';
import { clusterRoutes } from './cluster.ts';
import { entityRoutes } from './entities.ts';
import { entityV3Routes } from './entities-v3.ts';
import { eventRoutes } from './events.ts';
import { incidentRoutes } from './incidents.ts';
import { jobRoutes } from './jobs.ts';
import { licenseRoutes } from './license.ts';
import { mayRoutes } from './may.ts';
import { namespaceRoutes } from './namespaces.ts';
import { oidcRoutes } from './oidc.ts';
import { type OperationsOptions, operationRoutes } from './operations.ts';
import { problemRoutes } from './problems.ts';
import { pruneRoutes } from './prune.ts';
import { type SilencingLimits, silencedRoutes } from './silenced.ts';
import { tessenRoutes } from './tessen.ts';
import { userRoutes } from './users.ts';

export interface RouteServices {
  readonly backend: BackendPort;
  readonly authenticator: Authenticator;
  readonly issuers: Issuers;
  readonly hashing: HashingQueue;
  readonly operations: OperationsOptions;
  readonly wallMs: () => number;
  readonly silencing: SilencingLimits;
  readonly licenseKey: KeyObject | undefined;
}

export const apiRoutes = ({
  backend,
  authenticator,
  issuers,
  hashing,
  operations,
  wallMs,
  silencing,
  licenseKey,
}: RouteServices): readonly Route[] => {
  const table = backend.resources;
  const entities = createEntityOperations(backend);
  return [
    ...operationRoutes(operations),
    ...clusterRoutes(operations),
    ...tessenRoutes(table),
    ...authRoutes(authenticator),
    ...oidcRoutes(issuers, authenticator, refreshRoute(authenticator)),
    ...eventRoutes(backend),
    ...incidentRoutes(backend),
    ...jobRoutes(backend, wallMs, silencing),
    ...entityRoutes(entities),
    ...entityV3Routes(entities),
    ...checkRoutes(backend),
    ...namespaceRoutes(backend),
    ...silencedRoutes(backend, wallMs, silencing),
    ...userRoutes({ table, hashing, authenticator }),
    ...accessRoutes(table),
    ...apiKeyRoutes(table, wallMs),
    ...resourceKinds
      .filter(({ routes }) => routes === 'generic')
      .flatMap((kind) => resourceRoutes(kind, table)),
    ...resourceRoutes(authProviderKind, table, {
      // An authentication provider determines identities and groups, so writing one requires administrator rights.
      mayWrite: (provider, { principal }) =>
        requireClusterAdmin(table, principal, `write the provider ${authProviderKind.name(provider)}`),
      replaced: (provider) => okWithTag(authProviderKind.toWire(provider)),
      replacedDoc: { 200: { what: 'the stored provider', shape: one(authProviderKind) } },
    }),
    ...problemRoutes(backend),
    ...pruneRoutes(table),
    ...mayRoutes(backend),
    ...licenseRoutes(backend, licenseKey, wallMs),
    ...resourceRoutes(secretsProviderKind, table),
    ...resourceRoutes(secretKind, table),
  ];
};
