// Hooks of the earlier generation: at most one command, selected by the check's status. Its result is stored in the
// check, with its definition.

import { isMap, type Json } from '../model/earlier/json.ts';
import { substitute, unmatchedOutput } from '../model/earlier/tokens.ts';
import type { CommandSlots } from './command-slots.ts';
import { defaultHookTimeoutSeconds } from './limits.ts';
import { seconds, type Timers } from './timers.ts';

const severities = ['ok', 'warning', 'critical', 'unknown'] as const;

/** Precedence: the exact status, its severity, `non-zero`. */
export const pickHook = (hooks: unknown, status: number): string | undefined => {
  if (!isMap(hooks)) return undefined;
  const severity = severities[status] ?? 'unknown';
  const words = [String(status), severity, ...(status === 0 ? [] : ['non-zero'])];
  return words.find((word) => isMap(hooks[word]));
};

export interface HookTools {
  readonly slots: CommandSlots;
  readonly timers: Pick<Timers, 'nowMs'>;
}

const unknownStatus = 3;

/** Returns the check with the result of its hook. `attributes` is the client definition. */
export const runHook = async (check: Json, attributes: Json, tools: HookTools): Promise<Json> => {
  const { hooks } = check;
  const name = pickHook(hooks, Number(check['status']));
  if (name === undefined || !isMap(hooks)) return check;
  const hook = hooks[name] as Json;
  const { value: command, unmatched } = substitute(hook['command'], attributes);
  const startedMs = tools.timers.nowMs();
  const withResult = (result: Json): Json => ({
    ...check,
    hooks: { ...hooks, [name]: { ...hook, ...result } },
  });
  const executed = seconds(tools.timers);
  if (unmatched.length > 0)
    return withResult({ executed, output: unmatchedOutput(unmatched), status: unknownStatus });
  const result = await tools.slots.run({
    command: String(command),
    timeoutSeconds: typeof hook['timeout'] === 'number' ? hook['timeout'] : defaultHookTimeoutSeconds,
    input: hook['stdin'] === true ? JSON.stringify({ client: attributes, check }) : undefined,
  });
  if (result === null)
    return withResult({
      executed,
      output: 'Unexpected error: too many commands are waiting',
      status: unknownStatus,
    });
  return withResult({ executed, duration: durationSeconds(startedMs, tools.timers.nowMs()), ...result });
};

export const durationSeconds = (fromMs: number, toMs: number): number => Math.max(0, toMs - fromMs) / 1000;
