// A command to run and what came of it; and the words between the backend and the helper process that runs commands.

export interface CommandRequest {
  readonly command: string;
  readonly input: string | Buffer;
  readonly env: Readonly<Record<string, string>>;
  /** 0: no limit. */
  readonly timeoutMs: number;
  /** Output past this is read and dropped, so that the command never blocks on it. */
  readonly maxOutputBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export type CommandResult = { readonly durationMs: number } & (
  | { readonly type: 'exited'; readonly status: number; readonly output: Buffer; readonly truncated: boolean }
  /** The whole process group was killed; `output` is what it wrote until then. */
  | { readonly type: 'timedOut'; readonly output: Buffer }
  /** Killed because the backend stops. */
  | { readonly type: 'aborted' }
  /** `outage`: this machine is out of something just now; otherwise the command itself can't be started. */
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
