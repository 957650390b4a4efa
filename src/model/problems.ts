// Problems: what can't work as it stands although each resource is well-formed by itself: a check that nobody runs, a
// handler that names a filter which does not exist. Pure: one resource and a lookup in, named reasons out.
import type { Asset } from './asset.ts';
import type { CheckConfig } from './check.ts';
import { neverComes } from './cron.ts';
import { builtInFilters, type EventFilter } from './event-filter.ts';
import { isAssignment } from './expression-syntax.ts';
import type { Handler } from './handler.ts';
import type { HookConfig } from './hook.ts';
import { builtInMutators, type Mutator } from './mutator.ts';
import { isHandlerKind, type Pipeline, type WorkflowReference } from './pipeline.ts';
import type { RoleBinding } from './rbac.ts';
import type { Secret } from './secret.ts';

export type ProblemReason =
  | 'noSubscriptions'
  | 'missing'
  | 'noCommand'
  | 'neverRuns'
  | 'assigns'
  | 'includesItself'
  | 'expressionFails'
  | 'nobodyRuns'
  | 'unknownField'
  | 'withheld';

export interface Problem {
  readonly why: ProblemReason;
  /** The field that has to be mended, e.g. `handlers`. */
  readonly field: string;
  /** One sentence for people. */
  readonly message: string;
}

/** Whether a resource exists. `segment` is the path segment of its kind; `namespace` is empty for cluster-wide kinds. */
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

/** Asks for several names of one kind; each that does not exist is a problem. */
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
              'subscriptions: a published check without subscriptions is run by nobody; name one, e.g. "linux"',
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
          message: `handlers: the set names itself ("${handler.metadata.name}"); that member is left out`,
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
            'command: a pipe mutator without a command does nothing; set command, or type to "javascript" for eval',
        },
      ]
    : []),
  ...find('runtime_assets', 'assets', mutator.runtime_assets),
  ...find('secrets', 'secrets', references(mutator.secrets)),
];

/** A kind of handler the reference product has and we do not. */
const foreignHandler = (field: string, { api_version: version, type }: WorkflowReference): Problem => ({
  why: 'missing',
  field,
  message: `${field}: there are no handlers of the kind ${version}.${type}; the workflow is left out. Use a core/v2.Handler, of type tcp for example`,
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

const bindingProblems = ({ role_ref: role }: RoleBinding, namespace: string, exists: Exists): Problem[] => {
  const segment = role.type === 'Role' ? 'roles' : 'clusterroles';
  const home = role.type === 'Role' ? namespace : '';
  return finder(home, exists, 'it grants nothing')('role_ref', segment, [role.name]);
};

/** What can't work of one resource, by its references alone. */
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
        ...checkProblems(resource as CheckConfig, find('it is left out when the check runs')),
        ...find('the check is not sent to any agent until it does')(
          'secrets',
          'secrets',
          references((resource as CheckConfig).secrets),
        ),
      ];
    case 'handlers':
      return handlerProblems(resource as Handler, find('events do not get through this handler as meant'));
    case 'filters':
      return [
        ...assignments('expressions', (resource as EventFilter).expressions),
        ...find('it fails when it runs')(
          'runtime_assets',
          'assets',
          (resource as EventFilter).runtime_assets,
        ),
      ];
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
      return finder('', exists, 'its value can be had from nowhere')('spec.provider', 'providers', [
        (resource as Secret).spec.provider,
      ]);
    default:
      return [];
  }
};

/** The kinds that may have problems. */
export const judgedSegments = [
  'checks',
  'handlers',
  'filters',
  'hooks',
  'mutators',
  'pipelines',
  'rolebindings',
  'clusterrolebindings',
  'secrets',
  'silenced',
  'assets',
] as const;
