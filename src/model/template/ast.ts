// The syntax tree of a template, and how its parts are printed in error messages: `<.labels.nope>`.

/** Why a template could not be parsed or run. `message` starts with `template: <name>:<line>...`. */
export class TemplateError extends Error {
  readonly phase: 'parse' | 'execute';
  constructor(phase: 'parse' | 'execute', message: string) {
    super(message);
    this.name = 'TemplateError';
    this.phase = phase;
  }
}

interface At {
  /** Byte offset in the template. */
  readonly at: number;
}

export type Operand =
  | (At & { readonly type: 'dot' })
  | (At & { readonly type: 'nil' })
  | (At & { readonly type: 'field'; readonly path: readonly string[] })
  | (At & { readonly type: 'variable'; readonly name: string; readonly path: readonly string[] })
  | (At & { readonly type: 'function'; readonly name: string })
  | (At & {
      readonly type: 'literal';
      readonly value: string | number | boolean;
      readonly source: string;
    })
  | (At & { readonly type: 'pipeline'; readonly pipeline: Pipeline; readonly path: readonly string[] });

export interface Command extends At {
  readonly operands: readonly Operand[];
}

export interface Pipeline extends At {
  readonly variables: readonly string[];
  /** `=` instead of `:=`. */
  readonly assigns: boolean;
  readonly commands: readonly Command[];
}

interface Block extends At {
  readonly pipeline: Pipeline;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[];
}
export interface Branch extends Block {
  readonly type: 'if' | 'with';
}
export interface Range extends Block {
  readonly type: 'range';
}

export type Node =
  | { readonly type: 'text'; readonly text: string }
  | (At & { readonly type: 'action'; readonly pipeline: Pipeline })
  | Branch
  | Range
  | (At & { readonly type: 'break' | 'continue' });

const fieldsText = (path: readonly string[]): string => path.map((field) => `.${field}`).join('');

export const operandText = (operand: Operand): string => {
  switch (operand.type) {
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'field':
      return fieldsText(operand.path);
    case 'variable':
      return operand.name + fieldsText(operand.path);
    case 'function':
      return operand.name;
    case 'literal':
      return operand.source;
    case 'pipeline':
      return `(${pipelineText(operand.pipeline)})${fieldsText(operand.path)}`;
  }
};

export const commandText = (command: Command): string => command.operands.map(operandText).join(' ');

const pipelineText = (pipeline: Pipeline): string => {
  const commands = pipeline.commands.map(commandText).join(' | ');
  if (pipeline.variables.length === 0) return commands;
  return `${pipeline.variables.join(', ')} ${pipeline.assigns ? '=' : ':='} ${commands}`;
};
