// The request and result of a command, and the messages between the backend and the helper process.

export interface CommandRequest {
  readonly command: string;
  readonly input: string | Buffer;
  readonly env: Readonly<Record<string, string>>;
  /** 0 means no limit. */
  readonly timeoutMs: number;
  /** Output beyond this is read and discarded, so that the command never blocks on it. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export type CommandResult = { readonly durationMs: number } & (
  | { readonly type: 'exited'; readonly status: number; readonly output: Buffer; readonly truncated: boolean }
  /** The whole process group was killed; `output` is what it wrote before. */
  | { readonly type: 'timedOut'; readonly output: Buffer }
  /** Killed because the backend is stopping. */
  | { readonly type: 'aborted' }
  /** `outage`: the machine is temporarily out of a resource. Otherwise the command itself cannot be started. */
  | { readonly type: 'notStarted'; readonly message: string; readonly outage: boolean }
);

/** Runs commands; never rejects. */
export interface CommandRunner {
  run(request: CommandRequest): Promise<CommandResult>;
}

export type HelperOrder =
  | { readonly type: 'run'; readonly id: number; readonly request: Omit<CommandRequest, 'signal'> }
  | { readonly type: 'abort'; readonly id: number };

export interface HelperReport {
  readonly id: number;
  readonly result: CommandResult;
}
