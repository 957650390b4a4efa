// Problems of dependencies: targets that do not exist, which mask nothing, and cycles, whose members do not mask each other.
import { metadataTargets, metadataTargetsFault, readTarget } from '../../model/check/dependencies.ts';
import type { Metadata } from '../../model/resource/metadata.ts';
import { keepaliveCheckName } from '../../model/resource/names.ts';
import type { Problem } from '../../model/resource/problems.ts';
import type { Resource, ResourceId } from '../resources/resource-table.ts';

export interface DependencyProblemPorts {
  readonly hasEntity: (namespace: string, name: string) => boolean;
  /** Whether there is an event under this key. */
  readonly hasEvent: (key: string) => boolean;
  /** Whether a check of this name is defined, or has an event on any entity. */
  readonly knowsCheck: (namespace: string, name: string) => boolean;
  readonly cycles: () => readonly (readonly string[])[];
}

const field = 'depends_on';
const effect = 'it masks nothing';

const missing = (message: string): Problem => ({
  why: 'missing',
  field,
  message: `${field}: ${message}; ${effect}`,
});

/** `on`: the entity that names the target; undefined for a check, which runs on several. */
const problemOf = (
  namespace: string,
  on: string | undefined,
  target: string,
  { hasEntity, hasEvent, knowsCheck }: DependencyProblemPorts,
): Problem | undefined => {
  if (!target.includes('/') && !target.startsWith('entity:')) {
    if (target === keepaliveCheckName || knowsCheck(namespace, target)) return undefined;
    const hint = hasEntity(namespace, target)
      ? `. For the keepalive of that entity write entity:${target}`
      : '';
    return missing(`there is no check "${target}"${hint}`);
  }
  const read = readTarget(on ?? '', target);
  if (read === null || hasEvent(`${namespace}/${read}`)) return undefined;
  const [entity = '', check = ''] = read.split('/');
  if (!hasEntity(namespace, entity)) return missing(`the entity "${entity}" does not exist`);
  if (check === keepaliveCheckName)
    return missing(`the entity "${entity}" has no keepalive, so name a check of it: ${entity}/CHECK`);
  return missing(`the entity "${entity}" has no event of the check "${check}"`);
};

export const dependencyProblems = (
  { segment, namespace, name }: ResourceId,
  resource: Resource,
  ports: DependencyProblemPorts,
): readonly Problem[] => {
  const isCheck = segment === 'checks';
  const metadata = (resource.metadata ?? {}) as Metadata;
  const own = isCheck ? ((resource['depends_on'] ?? []) as readonly string[]) : [];
  const targets = [...new Set([...own, ...metadataTargets(metadata)])];
  if (targets.length === 0) return [];
  const fault = metadataTargetsFault(metadata);
  const wrong: Problem[] = fault === null ? [] : [{ why: 'missing', field, message: fault }];
  const dangling = targets.flatMap(
    (target) => problemOf(namespace, isCheck ? undefined : name, target, ports) ?? [],
  );
  const isMember = (key: string): boolean => {
    const [of, entity, check] = key.split('/');
    return of === namespace && (isCheck ? check : entity) === name;
  };
  const cycle = ports.cycles().find((keys) => keys.some(isMember));
  return [...wrong, ...dangling, ...(cycle === undefined ? [] : [cycleProblem(cycle)])];
};

const cycleProblem = (keys: readonly string[]): Problem => {
  const way = [...keys, ...keys.slice(0, 1)].map((key) => key.slice(key.indexOf('/') + 1));
  return {
    why: 'dependsOnItself',
    field,
    message: `${field}: ${way.join(' depends on ')}; checks of such a cycle do not mask each other`,
  };
};
