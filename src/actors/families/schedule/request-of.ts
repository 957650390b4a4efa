// The request for one run of a check: its definition, with the hooks and assets it names, in full.
import type { CheckConfig } from '../../../model/check/check.ts';
import type { CheckRequest, RequestedAsset, RequestedHook } from '../../../wire/messages.ts';
import type { Configuration } from '../../resources/configuration.ts';

/** What kind of scheduler a run comes from, in the words of the reference product; readers may select by it. */
const ownScheduler = 'memory';
const sharedScheduler = 'etcd';

export type RequestDefinitions = Pick<Configuration, 'hook' | 'asset'>;

export interface RequestBuilder {
  readonly configuration: RequestDefinitions;
  readonly log: { warn(fields: object, text: string): void };
}

export const requestOf = (
  builder: RequestBuilder,
  namespace: string,
  config: CheckConfig,
  issued: number,
): CheckRequest => {
  const hooks = hooksOf(builder, namespace, config);
  const hookAssets = hooks
    .filter(({ runtime_assets: assets }) => (assets ?? []).length > 0)
    .map(
      (hook) =>
        [hook.metadata.name, { assets: assetsNamed(builder, namespace, hook.runtime_assets ?? []) }] as const,
    );
  return {
    config: { ...config, scheduler: config.round_robin ? sharedScheduler : ownScheduler },
    assets: assetsNamed(builder, namespace, config.runtime_assets ?? []),
    hooks,
    issued,
    ...(hookAssets.length > 0 ? { hook_assets: Object.fromEntries(hookAssets) } : {}),
  };
};

/** A hook that does not exist is left out: the agent then reports that it is missing. */
const hooksOf = (
  { configuration }: RequestBuilder,
  namespace: string,
  config: CheckConfig,
): RequestedHook[] => {
  const names = new Set(
    (config.check_hooks ?? []).flatMap((list) => Object.values(list).flatMap((some) => some ?? [])),
  );
  return [...names].flatMap((name) => configuration.hook(namespace, name) ?? []);
};

const assetsNamed = (
  { configuration, log }: RequestBuilder,
  namespace: string,
  names: readonly string[],
): RequestedAsset[] =>
  names.flatMap((name) => {
    const asset = configuration.asset(namespace, name);
    if (asset === undefined) {
      log.warn({ namespace, asset: name }, `asset "${name}" was requested but does not exist`);
    }
    return (asset as RequestedAsset | undefined) ?? [];
  });
