// Runs a template on data. Pure and bounded: every step is counted, so that a user's template cannot block the
// agent or the backend.
import { maxTemplateCharacters, maxTemplateSteps } from '../limits.ts';
import {
  type Branch,
  type Command,
  commandText,
  type Node,
  type Operand,
  operandText,
  type Pipeline,
  type Range,
  TemplateError,
} from './ast.ts';
import { templateFunctions } from './functions.ts';
import {
  formatValue,
  isAbsent,
  isMap,
  isTruthy,
  Missing,
  sortedKeys,
  typeName,
  ValueError,
} from './values.ts';

/** A missing value reached the output. `message` names its key, or is null if the key is unknown. */
export class UnmatchedToken extends Error {
  readonly where: string | null;
  constructor(where: string | null) {
    super(where ?? 'an undefined value reached the output');
    this.name = 'UnmatchedToken';
    this.where = where;
  }
}

type Jump = 'break' | 'continue' | null;
/** Producing text also costs steps by length, so that repeatedly doubling a variable terminates. */
const charactersPerStep = 16;

const nothing = Symbol('no piped value');

class Runner {
  readonly #name: string;
  readonly #text: string;
  readonly #variables: { readonly name: string; value: unknown }[];
  readonly #output: string[] = [];
  #characters = 0;
  #steps = 0;

  constructor(name: string, text: string, data: unknown) {
    this.#name = name;
    this.#text = text;
    this.#variables = [{ name: '$', value: data }];
  }

  run(nodes: readonly Node[], data: unknown): string {
    this.#walk(nodes, data);
    return this.#output.join('');
  }

  #where(at: number, shown: string, why: string): string {
    const before = this.#text.slice(0, at);
    const lineStart = before.lastIndexOf('\n') + 1;
    const line = before.split('\n').length;
    const column = Buffer.byteLength(before.slice(lineStart));
    return `template: ${this.#name}:${line}:${column}: executing ${JSON.stringify(this.#name)} at <${shown}>: ${why}`;
  }

  #whereOf(operand: Operand, why: string): string {
    return this.#where(operand.at, operandText(operand), why);
  }

  #fail(at: number, shown: string, why: string): never {
    throw new TemplateError('execute', this.#where(at, shown, why));
  }

  #step(at: number, show: () => string, cost = 1): void {
    this.#steps += cost;
    if (this.#steps > maxTemplateSteps) this.#fail(at, show(), `more than ${maxTemplateSteps} steps`);
  }

  #write(text: string, at: number): void {
    this.#characters += text.length;
    if (this.#characters > maxTemplateCharacters) {
      this.#fail(at, '...', `output longer than ${maxTemplateCharacters} characters`);
    }
    this.#output.push(text);
  }

  #print(value: unknown, at: number): void {
    if (value instanceof Missing) throw new UnmatchedToken(value.tell?.() ?? null);
    if (isAbsent(value)) throw new UnmatchedToken(null);
    this.#write(formatValue(value), at);
  }

  #walk(nodes: readonly Node[], dot: unknown): Jump {
    for (const node of nodes) {
      const jump = this.#node(node, dot);
      if (jump !== null) return jump;
    }
    return null;
  }

  #node(node: Node, dot: unknown): Jump {
    switch (node.type) {
      case 'text':
        this.#write(node.text, 0);
        return null;
      case 'break':
      case 'continue':
        return node.type;
      case 'action': {
        const value = this.#pipeline(node.pipeline, dot);
        if (node.pipeline.variables.length === 0) this.#print(value, node.at);
        return null;
      }
      case 'range':
        return this.#scoped(() => this.#range(node, dot));
      default:
        return this.#scoped(() => this.#branch(node, dot));
    }
  }

  #scoped<T>(run: () => T): T {
    const inScope = this.#variables.length;
    const result = run();
    this.#variables.length = inScope;
    return result;
  }

  #branch(node: Branch, dot: unknown): Jump {
    const value = this.#pipeline(node.pipeline, dot);
    if (!isTruthy(value)) return this.#walk(node.otherwise, dot);
    return this.#walk(node.body, node.type === 'with' ? value : dot);
  }

  #entries(value: unknown, pipeline: Pipeline): readonly (readonly [unknown, unknown])[] {
    if (isAbsent(value)) return [];
    if (Array.isArray(value)) return value.map((item, at) => [at, item] as const);
    if (isMap(value)) return sortedKeys(value).map((key) => [key, value[key]] as const);
    const shown = pipeline.commands.map(commandText).join(' | ');
    return this.#fail(pipeline.at, shown, `range can't iterate over ${formatValue(value)}`);
  }

  #range(node: Range, dot: unknown): Jump {
    const { variables, assigns } = node.pipeline;
    const entries = this.#entries(this.#evaluate(node.pipeline, dot), node.pipeline);
    if (entries.length === 0) return this.#walk(node.otherwise, dot);
    for (const [key, item] of entries) {
      const jump = this.#scoped(() => {
        const values = variables.length > 1 ? [key, item] : [item];
        for (const [at, name] of variables.entries()) this.#set(name, values[at], assigns);
        this.#step(node.at, () => 'range');
        return this.#walk(node.body, item);
      });
      if (jump === 'break') break;
    }
    return null;
  }

  #set(name: string, value: unknown, assigns: boolean): void {
    const known = assigns ? this.#variables.findLast((variable) => variable.name === name) : undefined;
    if (known === undefined) this.#variables.push({ name, value });
    else known.value = value;
  }

  /** Evaluates a pipeline and assigns the result to the variables it declares. */
  #pipeline(pipeline: Pipeline, dot: unknown): unknown {
    const value = this.#evaluate(pipeline, dot);
    for (const name of pipeline.variables) this.#set(name, value, pipeline.assigns);
    return value;
  }

  #evaluate(pipeline: Pipeline, dot: unknown): unknown {
    let piped: unknown = nothing;
    for (const command of pipeline.commands) piped = this.#command(command, dot, piped);
    return piped;
  }

  #command(command: Command, dot: unknown, piped: unknown): unknown {
    this.#step(command.at, () => commandText(command));
    const [first, ...rest] = command.operands;
    if (first === undefined) return undefined;
    if (first.type === 'function') return this.#call(command, first.name, rest, dot, piped);
    if (rest.length > 0 || piped !== nothing) {
      const why =
        first.type === 'field'
          ? `${first.path.at(-1)} is not a method but has arguments`
          : `can't give argument to non-function ${operandText(first)}`;
      this.#fail(first.at, operandText(first), why);
    }
    if (first.type === 'nil') this.#fail(first.at, 'nil', 'nil is not a command');
    return this.#operand(first, dot);
  }

  #call(command: Command, name: string, operands: readonly Operand[], dot: unknown, piped: unknown): unknown {
    if (name === 'and' || name === 'or') return this.#logic(command, name, operands, dot, piped);
    const args = operands.map((operand) => this.#operand(operand, dot));
    if (piped !== nothing) args.push(piped);
    const call = templateFunctions.get(name);
    const show = (): string => commandText(command);
    if (call === undefined) return this.#fail(command.at, show(), `"${name}" is not a defined function`);
    // Text built from a missing value counts as missing itself, since it would hide the missing value.
    const missing = makesText.has(name) ? args.find((arg) => arg instanceof Missing) : undefined;
    if (missing !== undefined) return missing;
    try {
      const result = call(...args);
      if (typeof result === 'string') this.#step(command.at, show, result.length / charactersPerStep);
      return result;
    } catch (error) {
      if (!(error instanceof ValueError)) throw error;
      const why = error.message.startsWith('wrong number') ? `${error.message} for ${name}` : error.message;
      return this.#fail(command.at, show(), `error calling ${name}: ${why}`);
    }
  }

  #logic(
    command: Command,
    name: 'and' | 'or',
    operands: readonly Operand[],
    dot: unknown,
    piped: unknown,
  ): unknown {
    if (operands.length === 0 && piped === nothing) {
      this.#fail(command.at, commandText(command), `wrong number of args for ${name}: want at least 1 got 0`);
    }
    let value: unknown;
    for (const operand of operands) {
      value = this.#operand(operand, dot);
      if (isTruthy(value) === (name === 'or')) return value;
    }
    return piped === nothing ? value : piped;
  }

  #operand(operand: Operand, dot: unknown): unknown {
    switch (operand.type) {
      case 'dot':
        return dot;
      case 'nil':
        return undefined;
      case 'literal':
        return operand.value;
      case 'field':
        return this.#fields(operand, operand.path, dot);
      case 'variable': {
        const variable = this.#variables.findLast(({ name }) => name === operand.name);
        return this.#fields(operand, operand.path, variable?.value);
      }
      case 'pipeline':
        return this.#fields(operand, operand.path, this.#pipeline(operand.pipeline, dot));
      case 'function':
        return this.#call({ at: operand.at, operands: [operand] }, operand.name, [], dot, nothing);
    }
  }

  #fields(operand: Operand, path: readonly string[], from: unknown): unknown {
    return path.reduce((value, field) => this.#field(operand, value, field), from);
  }

  #field(operand: Operand, value: unknown, field: string): unknown {
    this.#step(operand.at, () => operandText(operand));
    if (value instanceof Missing && value.tell !== null) return value;
    if (isAbsent(value)) {
      return new Missing(() => this.#whereOf(operand, `nil data; no entry for key ${JSON.stringify(field)}`));
    }
    if (!isMap(value)) {
      const type = typeof value === 'string' ? 'string' : typeName(value);
      return this.#fail(operand.at, operandText(operand), `can't evaluate field ${field} in type ${type}`);
    }
    if (Object.hasOwn(value, field)) return value[field];
    return new Missing(() => this.#whereOf(operand, `map has no entry for key ${JSON.stringify(field)}`));
  }
}

const makesText: ReadonlySet<string> = new Set(['print', 'println', 'printf', 'html', 'js', 'urlquery']);

/** Runs a template that was parsed from `text`. Throws TemplateError or UnmatchedToken. */
export const runTemplate = (name: string, text: string, nodes: readonly Node[], data: unknown): string =>
  new Runner(name, text, data).run(nodes, data);
