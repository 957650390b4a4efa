// What operators configured, typed: the resource table as pipelines, schedules and silences want to read it.

import type { CheckConfig } from '../../model/check/check.ts';
import type { FindDefinition } from '../../model/check/check-rules.ts';
import type { HookConfig } from '../../model/check/hook.ts';
import type { EventFilter } from '../../model/pipeline/event-filter.ts';
import type { Handler } from '../../model/pipeline/handler.ts';
import type { Mutator } from '../../model/pipeline/mutator.ts';
import type { Pipeline } from '../../model/pipeline/pipeline.ts';
import type { Asset } from '../../model/resource/asset.ts';
import type { ResourceLookup } from '../../pipeline/ports.ts';
import type { ResourceTable } from './resource-table.ts';

/** The table holds what its schema let through: reading it back as that type is the one cast of this file. */
const typed = <T>(resource: unknown): T | undefined => resource as T | undefined;

/** The check definitions of one namespace. */
export const definitionsIn =
  (table: Pick<ResourceTable, 'get'>, namespace: string): FindDefinition =>
  (check) =>
    typed<CheckConfig>(table.get('checks', namespace, check));

export class Configuration implements ResourceLookup {
  readonly #table: ResourceTable;

  constructor(table: ResourceTable) {
    this.#table = table;
  }

  handler(namespace: string, name: string): Handler | undefined {
    return typed<Handler>(this.#table.get('handlers', namespace, name));
  }

  filter(namespace: string, name: string): EventFilter | undefined {
    return typed<EventFilter>(this.#table.get('filters', namespace, name));
  }

  mutator(namespace: string, name: string): Mutator | undefined {
    return typed<Mutator>(this.#table.get('mutators', namespace, name));
  }

  pipeline(namespace: string, name: string): Pipeline | undefined {
    return typed<Pipeline>(this.#table.get('pipelines', namespace, name));
  }

  check(namespace: string, name: string): CheckConfig | undefined {
    return typed<CheckConfig>(this.#table.get('checks', namespace, name));
  }

  hook(namespace: string, name: string): HookConfig | undefined {
    return typed<HookConfig>(this.#table.get('hooks', namespace, name));
  }

  asset(namespace: string, name: string): Asset | undefined {
    return typed<Asset>(this.#table.get('assets', namespace, name));
  }

  checks(): readonly CheckConfig[] {
    return this.#table.list('checks').items as unknown as readonly CheckConfig[];
  }

  /** Told of every definition that came, changed (`config`) or went (`undefined`). */
  watchChecks(listener: (namespace: string, name: string, config: CheckConfig | undefined) => void): void {
    this.#table.watch('checks', (change) =>
      listener(
        change.namespace,
        change.name,
        change.type === 'put' ? typed<CheckConfig>(change.resource) : undefined,
      ),
    );
  }
}
