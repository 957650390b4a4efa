// Hooks: commands that run after a check to collect more information about its result.
import { z } from 'zod';
import { metadataSchema } from '../resource/metadata.ts';
import { nameFault, namespaceFault } from '../resource/names.ts';
import { flag, stringListOrNull, text, unsigned32 } from '../schema/quick-types.ts';
import type { HookList } from './check.ts';

export const hookConfigSchema = z.object({
  metadata: metadataSchema.default({ name: '' }).describe('Name, namespace, labels and annotations.'),
  command: text('').describe('Command line that the agent runs after a result.'),
  /** Seconds. */
  timeout: unsigned32(0).meta({
    description: 'Time after which it is stopped; at least 1.',
    'x-unit': 'seconds',
  }),
  stdin: flag(false).describe('Whether the command reads check and entity as JSON on standard input.'),
  runtime_assets: stringListOrNull().describe('Names of assets that it runs with.'),
});
export type HookConfig = z.infer<typeof hookConfigSchema>;

export const validateHook = (hook: HookConfig): string | null =>
  nameFault('hook name', hook.metadata.name) ??
  (hook.command === '' ? 'command cannot be empty' : null) ??
  (hook.timeout === 0 ? 'hook timeout must be greater than 0' : null) ??
  namespaceFault(hook.metadata.namespace);

const hookTypes: ReadonlySet<string> = new Set([
  'ok',
  'warning',
  'critical',
  'unknown',
  'non-zero',
  ...Array.from({ length: 256 }, (_, code) => String(code)),
]);

const badType =
  'valid check hook types are "0"-"255", "ok", "warning", "critical", "unknown", and "non-zero"';

/** One item of a check's `check_hooks`: `{"critical": ["ps"]}`. */
export const hookListFault = (list: HookList): string | null => {
  const entries = Object.entries(list);
  if (entries.length === 0) return 'type cannot be empty';
  for (const [type, names] of entries) {
    if (type === '') return 'type cannot be empty';
    if (names === null || names.length === 0) return 'hooks cannot be empty';
    if (!hookTypes.has(type)) return badType;
  }
  return null;
};
