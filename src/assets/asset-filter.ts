// Asset filters: small programs that say whether an asset is for this machine: `entity.system.os == 'linux'`
// (agent sheet 4.6). They come from users, so they run in a sandbox with a time and a memory limit.
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import type { Entity } from '../model/entity.ts';
import { tokenData } from '../model/token-substitution.ts';
import { errorText } from '../program/log.ts';
import { no, type Stage, yes } from '../program/stage.ts';
import { filterMemoryBytes, filterStackBytes, filterTimeMs } from './limits.ts';

/** What filters may call besides the language itself; times are Unix seconds and UTC. */
const prelude = `
  var seconds_since = function (t) { return Math.floor(Date.now() / 1000) - t; };
  var second = function (t) { return new Date(t * 1000).getUTCSeconds(); };
  var minute = function (t) { return new Date(t * 1000).getUTCMinutes(); };
  var hour = function (t) { return new Date(t * 1000).getUTCHours(); };
  var weekday = function (t) { return new Date(t * 1000).getUTCDay(); };
`;

let loading: Promise<QuickJSWASMModule> | undefined;
const load = (): Promise<QuickJSWASMModule> => {
  loading ??= newQuickJSWASMModuleFromVariant(variant as unknown as QuickJSSyncVariant);
  return loading;
};

const run = (context: QuickJSContext, filters: readonly string[], entity: string): Stage<boolean> => {
  for (const [at, program] of [
    `${prelude}; var entity = JSON.parse(${JSON.stringify(entity)}); true`,
    ...filters,
  ].entries()) {
    const result = context.evalCode(program);
    if (result.error !== undefined) {
      const thrown: unknown = context.dump(result.error);
      result.error.dispose();
      const why =
        typeof thrown === 'object' && thrown !== null && 'message' in thrown ? thrown.message : thrown;
      return no(`filter "${at === 0 ? 'entity' : program}" failed: ${String(why)}`);
    }
    const value: unknown = context.dump(result.value);
    result.value.dispose();
    if (!value) return yes(false);
  }
  return yes(true);
};

const evaluate = (engine: QuickJSWASMModule, filters: readonly string[], entity: string): Stage<boolean> => {
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(filterMemoryBytes);
  runtime.setMaxStackSize(filterStackBytes);
  const deadlineMs = performance.now() + filterTimeMs;
  runtime.setInterruptHandler(() => performance.now() > deadlineMs);
  const context = runtime.newContext();
  const answer = run(context, filters, entity);
  // What a stopped program left behind can't be trusted to be freed: the whole interpreter goes.
  if (!answer.ok) loading = undefined;
  else {
    context.dispose();
    runtime.dispose();
  }
  return answer;
};

/** Whether all filters hold; without any they do. A filter that throws is an answer too: no, and why. */
export const filtersHold = async (
  filters: readonly string[] | null | undefined,
  entity: Entity,
): Promise<Stage<boolean>> => {
  if (filters == null || filters.length === 0) return yes(true);
  const engine = await load();
  try {
    return evaluate(engine, filters, JSON.stringify(tokenData(entity)));
  } catch (error) {
    // The interpreter itself gave up, for want of memory for instance.
    loading = undefined;
    return no(`asset filters failed: ${errorText(error)}`);
  }
};
