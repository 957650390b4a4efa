// Runs a check request: the local definition takes precedence, safe mode allows only local definitions, one run at
// a time per check, then tokens, the command, and its hook. Every request ends in a result or a log line.

import { isMap, type Json } from '../model/earlier/json.ts';
import { substitute, unmatchedOutput } from '../model/earlier/tokens.ts';
import type { CommandSlots } from './command-slots.ts';
import { durationSeconds, runHook } from './hooks.ts';
import type { ClientLog } from './log.ts';
import { seconds, type Timers } from './timers.ts';

export interface CheckRunnerOptions {
  readonly client: Json;
  /** The configured checks by name. */
  readonly checks: Json;
  readonly slots: CommandSlots;
  readonly timers: Timers;
  readonly log: ClientLog;
  readonly publish: (check: Json) => void;
}

export interface CheckRunner {
  /** Processes a request. Resolves when its result is published, or when there will be none. */
  process(request: Json): Promise<void>;
  readonly inProgress: number;
}

const unknownStatus = 3;

const keyOf = (check: Json): string =>
  [check['source'], check['name']].filter((part) => typeof part === 'string' && part !== '').join(':');

/** The local definition merged over the request's, unless the request is for proxy clients. */
const withLocal = (request: Json, checks: Json): { readonly check: Json; readonly isLocal: boolean } => {
  const name = String(request['name']);
  const local = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (!isMap(local)) return { check: request, isLocal: false };
  return { check: 'proxy_requests' in request ? request : { ...request, ...local }, isLocal: true };
};

export const createCheckRunner = (options: CheckRunnerOptions): CheckRunner => {
  const { client, checks, slots, timers, log } = options;
  const inProgress = new Set<string>();

  const publish = ({ source, ...check }: Json): void =>
    options.publish(source === undefined || source === '' ? check : { ...check, source });

  const execute = async (check: Json): Promise<void> => {
    const { value, unmatched } = substitute({ ...check, hooks: undefined }, client);
    // The published check contains the unsubstituted command, so that passwords from tokens stay on this machine.
    const filled: Json = { ...(value as Json), command: check['command'], hooks: check['hooks'] };
    const started = { ...filled, executed: seconds(timers) };
    if (unmatched.length > 0)
      return publish({
        ...started,
        output: unmatchedOutput(unmatched),
        status: unknownStatus,
        handle: false,
      });
    const startedMs = timers.nowMs();
    const { timeout } = check;
    const running = slots.run({
      command: String((value as Json)['command']),
      timeoutSeconds: typeof timeout === 'number' ? timeout : undefined,
      input: check['stdin'] === true ? JSON.stringify({ client, check: started }) : undefined,
    });
    if (running === null)
      return log.warn('too many commands are waiting, dropping check execution', { check: check['name'] });
    const result = await running;
    const done = { ...started, duration: durationSeconds(startedMs, timers.nowMs()), ...result };
    publish(await runHook(done, client, { slots, timers }));
  };

  const guarded = async (check: Json): Promise<void> => {
    const key = keyOf(check);
    if (inProgress.has(key)) return log.warn('previous check command execution in progress', { check });
    inProgress.add(key);
    log.debug('attempting to execute check command', { check });
    try {
      await execute(check);
    } finally {
      inProgress.delete(key);
    }
  };

  return {
    get inProgress() {
      return inProgress.size;
    },
    process: async (request) => {
      log.debug('processing check', { check: request });
      const { check, isLocal } = withLocal(request, checks);
      if (typeof check['command'] !== 'string') return log.warn('unknown check extension', { check });
      if (client['safe_mode'] === true && !isLocal)
        return publish({
          ...check,
          output: 'Check is not locally defined (safe mode)',
          status: unknownStatus,
          handle: false,
          executed: seconds(timers),
        });
      await guarded(check);
    },
  };
};
