// The table of all kinds of resources. Routes, permissions, selectors, the OpenAPI document and mon-ctl are made from
// it; a new kind is a schema, its rules, and a row in `kinds/`. Matrix: API sheet, section 5.1; fields: section 6.3.
import {
  apiKeyKind,
  clusterRoleBindingKind,
  clusterRoleKind,
  namespaceKind,
  roleBindingKind,
  roleKind,
  userKind,
} from './kinds/access.ts';
import { assetKind, filterKind, handlerKind, hookKind, mutatorKind, pipelineKind } from './kinds/handling.ts';
import { authProviderKind, secretKind, secretsProviderKind } from './kinds/providers.ts';
import { checkKind, entityKind, eventKind, silencedKind } from './kinds/watching.ts';
import type { ResourceKind } from './resource-kind.ts';

/** All kinds, in the order in which a file of many is best created: what is referred to comes first. */
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

/** The kind of a path segment, e.g. `checks`. */
export const kindByPath: ReadonlyMap<string, ResourceKind> = new Map(
  resourceKinds.map((kind) => [kind.path, kind]),
);

const kindsByType: ReadonlyMap<string, ResourceKind> = new Map(
  resourceKinds.flatMap((kind) => kind.types.map((type) => [type.toLowerCase(), kind] as const)),
);

/** The kind of a wrapped resource's type, in any letter case; undefined for types unknown here. */
export const kindByType = (type: string): ResourceKind | undefined => kindsByType.get(type.toLowerCase());
