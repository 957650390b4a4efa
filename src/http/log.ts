// The subset of a pino logger that the HTTP layer uses.

type Write = (fields: object, message: string) => void;

export interface Log {
  readonly error: Write;
  readonly warn: Write;
  readonly info: Write;
  readonly debug: Write;
}

/** For tests and tools. */
export const silentLog: Log = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
