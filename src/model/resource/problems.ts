// Problems: configuration errors across resources that are each valid on their own, such as a check that no agent
// runs or a handler with a missing filter. Pure: takes one resource and a lookup function, returns named reasons.

import type { RoleBinding } from '../access/rbac.ts';
import type { Secret } from '../access/secret.ts';
import type { CheckConfig } from '../check/check.ts';
import type { HookConfig } from '../check/hook.ts';
import type { EntityConfig } from '../entity/entity.ts';
import { isAssignment } from '../expression-syntax.ts';
import { builtInFilters, type EventFilter } from '../pipeline/event-filter.ts';
import type { Handler } from '../pipeline/handler.ts';
import { builtInMutators, type Mutator } from '../pipeline/mutator.ts';
import { isHandlerKind, type Pipeline, type WorkflowReference } from '../pipeline/pipeline.ts';
import { neverComes } from '../time/cron.ts';
import type { Asset } from './asset.ts';

type ProblemReason =
  | 'noSubscriptions'
  | 'missing'
  | 'noCommand'
  | 'neverRuns'
  | 'assigns'
  | 'includesItself'
  | 'dependsOnItself'
  | 'expressionFails'
  | 'nobodyRuns'
  | 'unknownField'
  | 'withheld';

export interface Problem {
  readonly why: ProblemReason;
  /** The field to fix, e.g. `handlers`. */
  readonly field: string;
  /** One sentence for operators. */
  readonly message: string;
}

/**
 * Whether a resource exists. `segment` is the path segment of its kind; `namespace` is empty for cluster-wide
 * kinds.
 */
export type Exists = (segment: string, namespace: string, name: string) => boolean;

const nouns: Readonly<Record<string, string>> = {
  handlers: 'handler',
  filters: 'filter',
  mutators: 'mutator',
  hooks: 'hook',
  assets: 'asset',
  pipelines: 'pipeline',
  secrets: 'secret',
  providers: 'secrets provider',
  roles: 'role',
  clusterroles: 'cluster role',
};

type Names = readonly string[] | null | undefined;

/** Looks up several names of one kind; each missing one is a problem. */
const finder =
  (namespace: string, exists: Exists, effect: string) =>
  (field: string, segment: string, names: Names, builtIn: readonly string[] = []): Problem[] =>
    [...new Set(names ?? [])]
      .filter((name) => name !== '' && !builtIn.includes(name) && !exists(segment, namespace, name))
      .map((name) => ({
        why: 'missing',
        field,
        message: `${field}: the ${nouns[segment] ?? segment} "${name}" does not exist; ${effect}`,
      }));

type Find = ReturnType<typeof finder>;

const references = (secrets: readonly { readonly secret: string }[] | null): readonly string[] =>
  (secrets ?? []).map(({ secret }) => secret);

const assignments = (field: string, expressions: Names): Problem[] =>
  (expressions ?? []).filter(isAssignment).map((expression) => ({
    why: 'assigns',
    field,
    message: `${field}: ${JSON.stringify(expression)} sets a value and compares nothing; use == or ===`,
  }));

const checkProblems = (check: CheckConfig, find: Find): Problem[] => {
  const hooks = (check.check_hooks ?? []).flatMap((list) =>
    Object.values(list).flatMap((some) => some ?? []),
  );
  const pipelines = [...check.pipelines, ...(check.fallback_pipeline ? [check.fallback_pipeline] : [])]
    .filter(({ type }) => type === 'Pipeline')
    .map(({ name }) => name);
  const idle: Problem[] =
    check.publish && check.subscriptions.length === 0
      ? [
          {
            why: 'noSubscriptions',
            field: 'subscriptions',
            message:
              'subscriptions: no agent runs this published check, since it has no subscriptions; add one, e.g. "linux"',
          },
        ]
      : [];
  const late: Problem[] =
    check.cron && neverComes(check.cron)
      ? [
          {
            why: 'neverRuns',
            field: 'cron',
            message: `cron: "${check.cron}" names a date that never comes, so the check never runs`,
          },
        ]
      : [];
  return [
    ...idle,
    ...late,
    ...assignments('proxy_requests.entity_attributes', check.proxy_requests?.entity_attributes),
    ...find('handlers', 'handlers', check.handlers),
    ...find('output_metric_handlers', 'handlers', check.output_metric_handlers),
    ...find('pipelines', 'pipelines', pipelines),
    ...find('check_hooks', 'hooks', hooks),
    ...find('runtime_assets', 'assets', check.runtime_assets),
  ];
};

const handlerProblems = (handler: Handler, find: Find): Problem[] => [
  ...(handler.type === 'set' ? find('handlers', 'handlers', handler.handlers) : []),
  ...(handler.type === 'set' && handler.handlers?.includes(handler.metadata.name)
    ? [
        {
          why: 'includesItself' as const,
          field: 'handlers',
          message: `handlers: the set contains itself ("${handler.metadata.name}"); that member is skipped`,
        },
      ]
    : []),
  ...find('filters', 'filters', handler.filters, builtInFilters),
  ...find('mutator', 'mutators', handler.mutator ? [handler.mutator] : [], builtInMutators),
  ...find('runtime_assets', 'assets', handler.runtime_assets),
  ...find('secrets', 'secrets', references(handler.secrets)),
];

const mutatorProblems = (mutator: Mutator, find: Find): Problem[] => [
  ...(mutator.type === 'pipe' && !mutator.command?.trim()
    ? [
        {
          why: 'noCommand' as const,
          field: 'command',
          message:
            'command: a pipe mutator needs a command; set command, or set type to "javascript" and use eval',
        },
      ]
    : []),
  ...find('runtime_assets', 'assets', mutator.runtime_assets),
  ...find('secrets', 'secrets', references(mutator.secrets)),
];

/** A handler kind that the reference product has but mon does not support. */
const foreignHandler = (field: string, { api_version: version, type }: WorkflowReference): Problem => ({
  why: 'missing',
  field,
  message: `${field}: handlers of the kind ${version}.${type} are not supported; the workflow is skipped. Use a core/v2.Handler, of type tcp for example`,
});

const pipelineProblems = (pipeline: Pipeline, find: Find): Problem[] =>
  pipeline.workflows.flatMap(({ name, filters, mutator, handler }) => {
    const at = (part: string): string => `workflows.${name}.${part}`;
    return [
      ...find(
        at('filters'),
        'filters',
        filters?.map((filter) => filter.name),
        builtInFilters,
      ),
      ...find(at('mutator'), 'mutators', mutator ? [mutator.name] : [], builtInMutators),
      ...(handler && !isHandlerKind(handler) ? [foreignHandler(at('handler'), handler)] : []),
      ...find(at('handler'), 'handlers', handler && isHandlerKind(handler) ? [handler.name] : []),
    ];
  });

const entityProblems = (
  { keepalive_handlers: names, deregistration }: EntityConfig,
  find: Find,
): Problem[] => [
  ...find('keepalive_handlers', 'handlers', names),
  ...find('deregistration.handler', 'handlers', deregistration.handler ? [deregistration.handler] : []),
];

const bindingProblems = ({ role_ref: role }: RoleBinding, namespace: string, exists: Exists): Problem[] => {
  const segment = role.type === 'Role' ? 'roles' : 'clusterroles';
  const home = role.type === 'Role' ? namespace : '';
  return finder(home, exists, 'it grants nothing')('role_ref', segment, [role.name]);
};

/** The problems of one resource, derived from its references. */
export const problemsOf = (
  segment: string,
  namespace: string,
  resource: unknown,
  exists: Exists,
): readonly Problem[] => {
  const find = (effect: string): Find => finder(namespace, exists, effect);
  switch (segment) {
    case 'checks':
      return [
        ...checkProblems(resource as CheckConfig, find('the check runs without it')),
        ...find('the check is not sent to any agent until it exists')(
          'secrets',
          'secrets',
          references((resource as CheckConfig).secrets),
        ),
      ];
    case 'handlers':
      return handlerProblems(resource as Handler, find('this handler does not process events as configured'));
    case 'filters':
      return [
        ...assignments('expressions', (resource as EventFilter).expressions),
        ...find('it fails when it runs')(
          'runtime_assets',
          'assets',
          (resource as EventFilter).runtime_assets,
        ),
      ];
    case 'entities':
      return entityProblems(resource as EntityConfig, find('events of this entity do not reach it'));
    case 'hooks':
      return find('it fails when it runs')(
        'runtime_assets',
        'assets',
        (resource as HookConfig | (Pick<Asset, 'metadata'> & { runtime_assets: Names })).runtime_assets,
      );
    case 'mutators':
      return mutatorProblems(resource as Mutator, find('it fails when it runs'));
    case 'pipelines':
      return pipelineProblems(resource as Pipeline, find('the workflow fails'));
    case 'rolebindings':
    case 'clusterrolebindings':
      return bindingProblems(resource as RoleBinding, namespace, exists);
    case 'secrets':
      return finder('', exists, 'its value cannot be fetched')('spec.provider', 'providers', [
        (resource as Secret).spec.provider,
      ]);
    default:
      return [];
  }
};

/** The kinds that are checked for problems. */
export const judgedSegments = [
  'checks',
  'handlers',
  'filters',
  'hooks',
  'mutators',
  'pipelines',
  'roles',
  'clusterroles',
  'rolebindings',
  'clusterrolebindings',
  'secrets',
  'silenced',
  'assets',
] as const;
