// The configuration of an agent. Single settings are validated by the shared code of all programs; rules between
// settings are here. An invalid setting is reported and the agent does not start.
import { nameSchema } from '../model/resource/names.ts';
import { resolveSettings, SettingsError, type Sources } from '../program/resolve.ts';
import { type AgentConfig, agentProgram } from './flags.ts';

export interface Configured {
  readonly config: AgentConfig;
  /** Problems that do not prevent the start. */
  readonly warnings: readonly string[];
}

/** A backend URL with its port, or an error. */
const backendUrl = (text: string): string => {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new SettingsError(`backend URL (${text}) is not a URL; write ws://host:8081 or wss://host:8081`);
  }
  if (url.protocol !== 'ws:' && url.protocol !== 'wss:')
    throw new SettingsError(`backend URL (${text}) must have ws:// or wss:// scheme`);
  if (url.username !== '' || url.password !== '')
    throw new SettingsError('a backend URL must not contain a user or password; use --user and --password');
  // URL drops the default port of its scheme, so check the text itself.
  const hasPort = /^wss?:\/\/[^/?#]*:\d+(?:[/?#]|$)/i.test(text);
  const host = hasPort ? text.replace(/^wss?:\/\/([^/?#]*).*$/i, '$1') : `${url.hostname}:8081`;
  return `${url.protocol}//${host}${url.pathname === '/' ? '' : url.pathname}${url.search}`;
};

const timeoutsProblem = (config: AgentConfig): string | null => {
  const {
    keepaliveInterval: interval,
    keepaliveWarningTimeout: warning,
    keepaliveCriticalTimeout: critical,
  } = config;
  if (critical > 0 && critical < warning)
    return 'if set, --keepalive-critical-timeout must be greater than --keepalive-warning-timeout';
  if (warning > 0 && warning < 5) return `bad keepalive timeout: ${warning} (minimum value is 5 seconds)`;
  if (critical > 0 && critical < 5)
    return `bad keepalive critical timeout: ${critical} (minimum value is 5 seconds)`;
  if (critical > 0 && critical <= interval)
    return 'keepalive critical timeout must be greater than keepalive interval';
  if (warning > 0 && warning <= interval)
    return 'keepalive warning timeout must be greater than keepalive interval';
  return null;
};

const problemOf = (config: AgentConfig): string | null => {
  const badName = nameSchema('agent name:').safeParse(config.name).error?.issues[0]?.message;
  if (badName !== undefined) return `invalid ${badName} (got ${JSON.stringify(config.name)}; set --name)`;
  const badNamespace = nameSchema('namespace').safeParse(config.namespace).error?.issues[0]?.message;
  if (badNamespace !== undefined) return `${badNamespace} (got ${JSON.stringify(config.namespace)})`;
  if (config.backendUrl.length === 0) return 'no backend URLs defined: set --backend-url';
  if ((config.certFile === '') !== (config.keyFile === ''))
    return '--cert-file and --key-file must be set together';
  return timeoutsProblem(config);
};

/** A heartbeat timeout must be longer than its interval. */
const mendHeartbeat = (config: AgentConfig): Configured => {
  const { backendHeartbeatInterval: interval, backendHeartbeatTimeout: timeout } = config;
  if (timeout > interval) return { config, warnings: [] };
  const mended = Math.ceil((interval * 10) / 6);
  const warning = `backend-heartbeat-timeout (${timeout}) must be greater than backend-heartbeat-interval (${interval}): using ${mended}`;
  return { config: { ...config, backendHeartbeatTimeout: mended }, warnings: [warning] };
};

/** Resolves and validates all settings. Throws SettingsError. */
export const resolveConfig = (sources: Sources): Configured => {
  const { settings, warnings } = resolveSettings(agentProgram, sources);
  const config = { ...settings, backendUrl: settings.backendUrl.map(backendUrl) };
  const problem = problemOf(config);
  if (problem !== null) throw new SettingsError(problem);
  const mended = mendHeartbeat(config);
  return { config: mended.config, warnings: [...warnings, ...mended.warnings] };
};
