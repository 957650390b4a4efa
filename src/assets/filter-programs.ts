// Evaluates the filters of an asset's builds in a new QuickJS interpreter, within one time limit.
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { filterMemoryBytes, filterStackBytes, filterTimeMs } from './limits.ts';

/** The filters of each build, in order. */
export type FilterLists = readonly (readonly string[])[];

/** The index of the first build whose filters are all true, null if none, or the error. */
export type FilterVerdict =
  | { readonly ok: true; readonly build: number | null }
  | { readonly ok: false; readonly message: string };

/** Functions available to filters besides the language itself. Times are Unix seconds in UTC. */
const prelude = `
  var seconds_since = function (t) { return Math.floor(Date.now() / 1000) - t; };
  var second = function (t) { return new Date(t * 1000).getUTCSeconds(); };
  var minute = function (t) { return new Date(t * 1000).getUTCMinutes(); };
  var hour = function (t) { return new Date(t * 1000).getUTCHours(); };
  var weekday = function (t) { return new Date(t * 1000).getUTCDay(); };
`;

class FilterError extends Error {}

let loading: Promise<QuickJSWASMModule> | undefined;
const load = (): Promise<QuickJSWASMModule> => {
  loading ??= newQuickJSWASMModuleFromVariant(variant as unknown as QuickJSSyncVariant);
  return loading;
};

const evaluate = (context: QuickJSContext, program: string, name: string): boolean => {
  const result = context.evalCode(program);
  if (result.error !== undefined) {
    const thrown: unknown = context.dump(result.error);
    result.error.dispose();
    const why =
      typeof thrown === 'object' && thrown !== null && 'message' in thrown ? thrown.message : thrown;
    throw new FilterError(`filter "${name}" failed: ${String(why)}`);
  }
  const value: unknown = context.dump(result.value);
  result.value.dispose();
  return Boolean(value);
};

const firstThatHolds = (context: QuickJSContext, lists: FilterLists, entityJson: string): number | null => {
  evaluate(context, `${prelude}; var entity = JSON.parse(${JSON.stringify(entityJson)}); true`, 'entity');
  const index = lists.findIndex((filters) => filters.every((program) => evaluate(context, program, program)));
  return index < 0 ? null : index;
};

const runIn = (engine: QuickJSWASMModule, lists: FilterLists, entityJson: string): number | null => {
  const runtime = engine.newRuntime();
  runtime.setMemoryLimit(filterMemoryBytes);
  runtime.setMaxStackSize(filterStackBytes);
  const deadlineMs = performance.now() + filterTimeMs;
  runtime.setInterruptHandler(() => performance.now() > deadlineMs);
  const context = runtime.newContext();
  const build = firstThatHolds(context, lists, entityJson);
  context.dispose();
  runtime.dispose();
  return build;
};

export const evaluateFilters = async (lists: FilterLists, entityJson: string): Promise<FilterVerdict> => {
  const engine = await load();
  try {
    return { ok: true, build: runIn(engine, lists, entityJson) };
  } catch (error) {
    // A stopped program may leave memory that is not freed, so the whole interpreter is discarded.
    loading = undefined;
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: error instanceof FilterError ? why : `asset filters failed: ${why}` };
  }
};
