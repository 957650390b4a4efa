// The table of all resource kinds. Routes, permissions, selectors, the OpenAPI document and mon-ctl are derived
// from it. A new kind needs a schema, its rules, and a row in `kinds/`.
import {
  apiKeyKind,
  clusterRoleBindingKind,
  clusterRoleKind,
  namespaceKind,
  roleBindingKind,
  roleKind,
  userKind,
} from '../kinds/access.ts';
import {
  assetKind,
  filterKind,
  handlerKind,
  hookKind,
  mutatorKind,
  pipelineKind,
} from '../kinds/handling.ts';
import { authProviderKind, secretKind, secretsProviderKind } from '../kinds/providers.ts';
import { checkKind, entityKind, eventKind, silencedKind } from '../kinds/watching.ts';
import type { ResourceKind } from './resource-kind.ts';

/** All kinds in creation order: kinds that others refer to come first. */
export const resourceKinds: readonly ResourceKind[] = [
  namespaceKind,
  authProviderKind,
  userKind,
  apiKeyKind,
  clusterRoleKind,
  clusterRoleBindingKind,
  roleKind,
  roleBindingKind,
  secretsProviderKind,
  secretKind,
  assetKind,
  hookKind,
  filterKind,
  mutatorKind,
  handlerKind,
  pipelineKind,
  checkKind,
  entityKind,
  eventKind,
  silencedKind,
];

/** The kind by path segment, e.g. `checks`. */
export const kindByPath: ReadonlyMap<string, ResourceKind> = new Map(
  resourceKinds.map((kind) => [kind.path, kind]),
);
