// Filter programs: evaluates the filters of the builds of an asset in a fresh QuickJS interpreter, all within one time limit.
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

/** The index of the first build all of whose filters hold; null: none. Or why that can't be told. */
export type FilterVerdict =
  | { readonly ok: true; readonly build: number | null }
  | { readonly ok: false; readonly message: string };

/** What filters may call besides the language itself; times are Unix seconds and UTC. */
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
    // What a stopped program left behind can't be trusted to be freed: the whole interpreter goes.
    loading = undefined;
    const why = error instanceof Error ? error.message : String(error);
    return { ok: false, message: error instanceof FilterError ? why : `asset filters failed: ${why}` };
  }
};
