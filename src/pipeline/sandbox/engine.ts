// One QuickJS interpreter, compiled to WebAssembly, in the calling thread (the sandbox worker). It enforces a time,
// memory and stack limit per program and returns results as data.
//
// Read-only expressions (plain-expression-rule) are compiled once and share one parsed event: about 1 us each. All
// others run in a new context with a new event: about 250 us, with no state left behind.
import variant from '@jitl/quickjs-wasmfile-release-sync';
import {
  newQuickJSWASMModuleFromVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
  type QuickJSWASMModule,
} from 'quickjs-emscripten-core';
import { interpreterStackBytes, maxCompiledExpressions, maxProgramChars } from '../limits.ts';
import { isPlainReading, withoutTrailer } from './plain-expression-rule.ts';
import { filterPrelude, freshPrelude, mutatorPrelude } from './prelude.ts';
import type { ExpressionOutcome, MutationOutcome, MutatorProgram } from './protocol.ts';
import { describe, type Failed, kindOf, tooLong } from './thrown.ts';
import { createTimeLimiter } from './time-limit.ts';

/** The interpreter's stack or memory may be corrupt; the module must not be used again. */
class EngineBroken extends Error {
  override readonly name = 'EngineBroken';
}

// The package's types describe its CommonJS export, which nests this export one level deeper.
const quickjs = variant as unknown as QuickJSSyncVariant;

/** ES5 and commonly used parts of later editions; no proxies, promises or typed arrays. */
const intrinsics = { BaseObjects: true, Date: true, Eval: true, RegExp: true, JSON: true, MapSet: true };

const unlimited = (): boolean => false;

interface Cell {
  readonly context: QuickJSContext;
  readonly hooks: QuickJSHandle;
}

interface Shared extends Cell {
  readonly compiled: Map<string, QuickJSHandle | null>;
  entered: { readonly eventJson: string; readonly nowMs: number; whole: string | null } | null;
}

export class Engine {
  readonly #runtime: QuickJSRuntime;
  #shared: Shared | null = null;
  readonly #startLimit = createTimeLimiter();
  #isOver: () => boolean = unlimited;
  #spent = false;

  private constructor(module: QuickJSWASMModule, memoryBytes: number) {
    this.#runtime = module.newRuntime();
    this.#runtime.setMemoryLimit(memoryBytes);
    this.#runtime.setMaxStackSize(interpreterStackBytes);
    this.#runtime.setInterruptHandler(() => this.#isOver());
  }

  static async create(memoryBytes: number): Promise<Engine> {
    return new Engine(await newQuickJSWASMModuleFromVariant(quickjs), memoryBytes);
  }

  /**
   * True after a program was stopped or ran out of memory or stack. Its memory may not be freed correctly, so the
   * next program needs a new engine (about 10 ms). The old one is garbage collected, including its WebAssembly
   * memory.
   */
  get spent(): boolean {
    return this.#spent;
  }

  /** Whether this expression matches the event, given as JSON. */
  evaluate(
    text: string,
    scripts: readonly string[],
    eventJson: string,
    nowMs: number,
    timeMs: number,
  ): ExpressionOutcome {
    return this.#guarded((): ExpressionOutcome => {
      if (text.length > maxProgramChars) return tooLong(text);
      const plain = scripts.length === 0 ? this.#plain(text) : null;
      if (plain !== null) return this.#callPlain(plain, eventJson, nowMs, timeMs);
      const whole = this.#wholeEvent(eventJson, nowMs);
      if (typeof whole !== 'string') return whole;
      return this.#inFreshContext(freshPrelude, (cell) => {
        const failed = this.#enter(cell, whole, nowMs / 1000) ?? this.#load(cell, scripts, timeMs);
        if (failed !== null) return failed;
        return this.#timed(timeMs, () => {
          const result = cell.context.evalCode(text, 'expression');
          if (result.error) return this.#failure(cell.context, result.error);
          return result.value.consume((value) => this.#truth(cell, value));
        });
      });
    });
  }

  mutate(eventJson: string, program: MutatorProgram): MutationOutcome {
    return this.#guarded((): MutationOutcome => {
      if (program.body.length > maxProgramChars) return tooLong(program.body);
      return this.#inFreshContext(mutatorPrelude, (cell) => {
        const failed = this.#enter(cell, eventJson) ?? this.#load(cell, program.scripts, program.timeMs);
        if (failed !== null) return failed;
        for (const [name, value] of Object.entries(program.globals))
          cell.context
            .newString(value)
            .consume((text) => cell.context.setProp(cell.context.global, name, text));
        return this.#timed(program.timeMs, () => this.#runBody(cell, program.body));
      });
    });
  }

  /** Null, or the parser's message with its position. */
  syntaxProblem(text: string): string | null {
    const outcome = this.#guarded((): Failed | null => {
      if (text.length > maxProgramChars) return tooLong(text);
      return this.#parses(this.#sharedCell().context, text);
    });
    return outcome === null ? null : outcome.message;
  }

  #runBody(cell: Cell, body: string): MutationOutcome {
    const result = cell.context.evalCode(`(function () {\n${body}\n})()`, 'mutator');
    if (result.error) return this.#failure(cell.context, result.error);
    const finished = result.value.consume((value) => this.#hook(cell, 'finish', value));
    if (finished.error) return this.#failure(cell.context, finished.error);
    const text = finished.value.consume((value) => cell.context.getString(value));
    return text.startsWith('T')
      ? { type: 'text', text: text.slice(1) }
      : { type: 'badResult', class: text.slice(1) };
  }

  /** A host error inside the interpreter means that its stack is inconsistent. */
  #guarded<T>(run: () => T): T {
    try {
      return run();
    } catch (error) {
      this.#spent = true;
      throw new EngineBroken(`the interpreter broke: ${String(error)}`, { cause: error });
    }
  }

  #timed<T>(timeMs: number, run: () => T): T {
    this.#isOver = this.#startLimit(timeMs);
    try {
      return run();
    } finally {
      this.#isOver = unlimited;
    }
  }

  #newCell(source: string): Cell {
    const context = this.#runtime.newContext({ intrinsics });
    return { context, hooks: context.unwrapResult(context.evalCode(source, 'prelude')) };
  }

  #sharedCell(): Shared {
    this.#shared ??= { ...this.#newCell(filterPrelude), compiled: new Map(), entered: null };
    return this.#shared;
  }

  #inFreshContext<T>(source: string, run: (cell: Cell) => T): T {
    const cell = this.#newCell(source);
    try {
      return run(cell);
    } finally {
      cell.hooks.dispose();
      cell.context.dispose();
    }
  }

  #hook(cell: Cell, name: string, ...args: QuickJSHandle[]): ReturnType<QuickJSContext['callFunction']> {
    return cell.context
      .getProp(cell.hooks, name)
      .consume((hook) => cell.context.callFunction(hook, cell.context.undefined, ...args));
  }

  #truth(cell: Cell, value: QuickJSHandle): ExpressionOutcome {
    const result = this.#hook(cell, 'truth', value);
    if (result.error) return this.#failure(cell.context, result.error);
    return { type: 'value', truthy: result.value.consume((one) => cell.context.getNumber(one)) === 1 };
  }

  #enter(cell: Cell, eventJson: string, nowSeconds = 0): Failed | null {
    const json = cell.context.newString(eventJson);
    const now = cell.context.newNumber(nowSeconds);
    const result = this.#hook(cell, 'enter', json, now);
    json.dispose();
    now.dispose();
    if (result.error) return this.#failure(cell.context, result.error);
    result.value.dispose();
    return null;
  }

  #load(cell: Cell, scripts: readonly string[], timeMs: number): Failed | null {
    for (const script of scripts) {
      const failed = this.#timed(timeMs, () => {
        const result = cell.context.evalCode(script, 'asset');
        if (result.error) return this.#failure(cell.context, result.error, 'in a runtime asset: ');
        result.value.dispose();
        return null;
      });
      if (failed !== null) return failed;
    }
    return null;
  }

  /** The compiled form of a read-only expression; null for all others. */
  #plain(text: string): QuickJSHandle | null {
    const shared = this.#sharedCell();
    const known = shared.compiled.get(text);
    if (known !== undefined) return known;
    if (shared.compiled.size >= maxCompiledExpressions) {
      for (const handle of shared.compiled.values()) handle?.dispose();
      shared.compiled.clear();
    }
    const bare = withoutTrailer(text);
    const compiled = isPlainReading(bare) ? this.#compile(shared.context, bare) : null;
    shared.compiled.set(text, compiled);
    return compiled;
  }

  /** Also null for a syntax error: running the text then reports it. */
  #compile(context: QuickJSContext, text: string): QuickJSHandle | null {
    // `a) + (b` is valid inside parentheses but not alone, so the bare text must parse first.
    if (this.#parses(context, text) !== null) return null;
    const result = context.evalCode(`(function () { return (\n${text}\n) ? 1 : 0 })`, 'expression');
    if (!result.error) return result.value;
    result.error.dispose();
    return null;
  }

  #parses(context: QuickJSContext, text: string): Failed | null {
    const result = context.evalCode(text, 'expression', { compileOnly: true });
    if (result.error) return this.#failure(context, result.error);
    result.value.dispose();
    return null;
  }

  /** Parses the event into the shared context, unless it is already there. */
  #enterShared(shared: Shared, eventJson: string, nowMs: number): Failed | null {
    if (shared.entered?.eventJson === eventJson && shared.entered.nowMs === nowMs) return null;
    shared.entered = null;
    const failed = this.#enter(shared, eventJson, nowMs / 1000);
    if (failed === null) shared.entered = { eventJson, nowMs, whole: null };
    return failed;
  }

  /** The event as filters see it, as JSON for a new context. */
  #wholeEvent(eventJson: string, nowMs: number): string | Failed {
    const shared = this.#sharedCell();
    const failed = this.#enterShared(shared, eventJson, nowMs);
    if (failed !== null || shared.entered === null) return failed ?? '';
    if (shared.entered.whole === null) {
      const result = this.#hook(shared, 'whole');
      if (result.error) return this.#failure(shared.context, result.error);
      shared.entered.whole = result.value.consume((value) => shared.context.getString(value));
    }
    return shared.entered.whole;
  }

  #callPlain(program: QuickJSHandle, eventJson: string, nowMs: number, timeMs: number): ExpressionOutcome {
    const shared = this.#sharedCell();
    const failed = this.#enterShared(shared, eventJson, nowMs);
    if (failed !== null) return failed;
    return this.#timed(timeMs, () => {
      const result = shared.context.callFunction(program, shared.context.undefined);
      if (result.error) return this.#failure(shared.context, result.error);
      return { type: 'value', truthy: result.value.consume((one) => shared.context.getNumber(one)) === 1 };
    });
  }

  /** Call within the program's time limit: a thrown object may have getters. */
  #failure(context: QuickJSContext, error: QuickJSHandle, where = ''): Failed {
    const { name, message, line, pending } = error.consume((handle) => describe(context, handle));
    const kind = kindOf(name, message);
    if (pending || kind === 'slow' || kind === 'memory' || kind === 'recursion') this.#spent = true;
    const text = name === '' ? message : `${name}: ${message}`;
    return { type: 'failed', kind, message: `${where}${text}${kind === 'syntax' ? line : ''}` };
  }
}
