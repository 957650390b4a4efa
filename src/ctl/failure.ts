// Failures of a command: what is shown after `Error: `, and the status the program ends with.

export const exitCodes = { success: 0, failure: 1, usage: 64 } as const;

export class CtlError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failure) {
    super(message);
    this.name = 'CtlError';
    this.exitCode = exitCode;
  }
}

/** Ends with 1, with everything said already: a difference was found, a check did not pass. */
export class SaidError extends CtlError {
  constructor() {
    super('');
    this.name = 'SaidError';
  }
}

/** The server answered and refused; `message` is its own. */
export class RefusedError extends CtlError {
  readonly status: number;
  /** The code of the body; undefined where it had none. */
  readonly code: number | undefined;

  constructor(message: string, status: number, code: number | undefined) {
    super(message);
    this.name = 'RefusedError';
    this.status = status;
    this.code = code;
  }
}
