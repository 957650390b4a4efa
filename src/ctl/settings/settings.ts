// Settings of one run: a flag wins over the environment (MON_* over SENSU_*), the environment over the current context, the
// context over the default.
import { parseDuration } from '../../model/time/durations.ts';
import { CtlError } from '../failure.ts';
import { defaultTimeoutMs } from '../limits.ts';
import type { ConfigFile, SavedContext } from './config-file.ts';

export const formats = ['tabular', 'yaml', 'wrapped-json', 'json'] as const;
export type Format = (typeof formats)[number];

export type Variables = Readonly<Record<string, string | undefined>>;
/** By long name without dashes, as given on the command line. */
export type GivenOptions = Readonly<Record<string, unknown>>;

export interface Settings {
  readonly context: string;
  readonly saved: SavedContext;
  readonly apiUrl: string;
  readonly apiKey: string;
  readonly namespace: string;
  readonly format: Format;
  readonly timeoutMs: number;
  readonly trustedCaFile: string;
  readonly insecureSkipTlsVerify: boolean;
}

/** The variable of a flag, in this product's words or in those of the reference; empty counts as not set. */
export const fromEnvironment = (env: Variables, flag: string): string | undefined => {
  const name = flag.toUpperCase().replaceAll('-', '_');
  return env[`MON_${name}`] || env[`SENSU_${name}`] || undefined;
};

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const readFormat = (word: string): Format => {
  const found = formats.find((format) => format === word);
  if (found === undefined)
    throw new CtlError(`--format must be one of ${formats.join(', ')} (got "${word}")`);
  return found;
};

/** `15s`, or a number of seconds. Milliseconds. */
export const readTimeout = (word: string, flag = '--timeout'): number => {
  const ms = /^\d+$/.test(word) ? Number(word) * 1000 : parseDuration(word);
  if (ms === null || ms <= 0 || ms > 2_147_483_647)
    throw new CtlError(`${flag} must be a duration such as 15s or 1m (got "${word}")`);
  return ms;
};

const readSwitch = (word: string, flag: string): boolean => {
  if (['true', '1', 't', 'yes'].includes(word.toLowerCase())) return true;
  if (['false', '0', 'f', 'no'].includes(word.toLowerCase())) return false;
  throw new CtlError(`--${flag} must be true or false (got "${word}")`);
};

/** Without a slash at its end. */
export const readUrl = (word: string): string => {
  const url = URL.canParse(word) ? new URL(word) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new CtlError(`the API URL must begin with http:// or https:// (got "${word}")`);
  return word.replace(/\/+$/, '');
};

export const resolveSettings = (given: GivenOptions, env: Variables, file: ConfigFile): Settings => {
  const pick = (flag: string, saved: string | undefined, otherwise: string): string =>
    text(given[flag]) ?? fromEnvironment(env, flag) ?? saved ?? otherwise;
  const context = pick('context', file.current, file.current);
  const saved = Object.hasOwn(file.contexts, context) ? (file.contexts[context] ?? {}) : {};
  const apiUrl = pick('api-url', saved.api_url, '');
  const timeout = pick('timeout', saved.timeout, '');
  const insecure =
    text(given['insecure-skip-tls-verify']) ?? fromEnvironment(env, 'insecure-skip-tls-verify');
  return {
    context,
    saved,
    apiUrl: apiUrl === '' ? '' : readUrl(apiUrl),
    apiKey: pick('api-key', saved.api_key, ''),
    namespace: pick('namespace', saved.namespace, 'default'),
    format: readFormat(pick('format', saved.format, 'tabular')),
    timeoutMs: timeout === '' ? defaultTimeoutMs : readTimeout(timeout),
    trustedCaFile: pick('trusted-ca-file', saved.trusted_ca_file, ''),
    insecureSkipTlsVerify:
      insecure === undefined
        ? (saved.insecure_skip_tls_verify ?? false)
        : readSwitch(insecure, 'insecure-skip-tls-verify'),
  };
};
