// Loads the configuration: merges environment, file and directories in this order, applies the client overrides,
// and validates the result. Never throws: notices and problems are returned as data.
import { difference, isMap, type Json, mergeMaps } from '../../model/earlier/json.ts';
import { redact } from '../../model/earlier/redaction.ts';
import type { Problem } from '../../model/earlier/rule-table.ts';
import { defaultSpawnLimit } from '../limits.ts';
import { validate } from './validate.ts';

interface Notice {
  readonly message: string;
  readonly data: object;
}

export interface Sources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Undefined: the default file, if it exists. */
  readonly configFile?: string | undefined;
  /** Undefined: the default directory, if it exists. Loaded in this order. */
  readonly configDirs?: readonly string[] | undefined;
  readonly hostname: string;
  /** The first non-loopback IPv4 address, if any. */
  readonly address?: string | undefined;
  readonly files: {
    exists(path: string): boolean;
    /** Throws if it cannot be read. */
    read(path: string): string;
    /** Every `*.json` below a directory; throws if it cannot be read. */
    jsonBelow(directory: string): readonly string[];
  };
}

export interface Loaded {
  readonly settings: Json;
  readonly problems: readonly Problem[];
  readonly notices: readonly Notice[];
  /** The files that were read, in order. */
  readonly files: readonly string[];
}

const defaultConfigFile = '/etc/mon/config.json';
const defaultConfigDir = '/etc/mon/conf.d';

const byteOrderMark = '\uFEFF';

const baseOf = ({ hostname, address }: Sources): Json => ({
  client: { name: hostname, address: address ?? 'unknown' },
  checks: {},
  filters: {},
  mutators: {},
  handlers: {},
  extensions: {},
  sensu: {
    spawn: { limit: defaultSpawnLimit },
    keepalives: { thresholds: { warning: 120, critical: 180 } },
  },
  transport: { reconnect_on_error: true },
});

/** Our variable, or the one that existing installations use. */
const variable = ({ environment }: Sources, name: string): string | undefined =>
  environment[`MON_${name}`] ?? environment[`SENSU_${name}`];

const present = (entries: readonly (readonly [string, unknown])[]): Json =>
  Object.fromEntries(entries.filter(([, value]) => value !== undefined && value !== ''));

/** The settings from the environment, in the shape of a file. */
const environmentSettings = (sources: Sources): Json => {
  const { environment } = sources;
  const sentinels = environment['REDIS_SENTINEL_URLS'];
  const apiPort = variable(sources, 'API_PORT');
  const transport = present([['name', variable(sources, 'TRANSPORT_NAME')]]);
  const websocket = present([['url', environment['MON_BACKEND_URL']]]);
  const client = present([
    ['name', variable(sources, 'CLIENT_NAME')],
    ['address', variable(sources, 'CLIENT_ADDRESS')],
    ['subscriptions', variable(sources, 'CLIENT_SUBSCRIPTIONS')?.split(',')],
  ]);
  const scopes: readonly (readonly [string, Json])[] = [
    ['transport', transport],
    ['websocket', websocket],
    ['client', client],
    ['api', present([['port', apiPort === undefined ? undefined : Number(apiPort)]])],
  ];
  return {
    ...Object.fromEntries(scopes.filter(([, scope]) => Object.keys(scope).length > 0)),
    ...present([
      ['rabbitmq', environment['RABBITMQ_URL']],
      ['redis', sentinels === undefined ? environment['REDIS_URL'] : { sentinels }],
    ]),
  };
};

class Loading {
  settings: Json;
  readonly problems: Problem[] = [];
  readonly notices: Notice[] = [];
  readonly files: string[] = [];
  readonly #sources: Sources;

  constructor(sources: Sources) {
    this.#sources = sources;
    this.settings = baseOf(sources);
  }

  environment(): void {
    const incoming = environmentSettings(this.#sources);
    if (Object.keys(incoming).length === 0) return;
    this.note('using environment variables', { settings: redact(incoming) });
    this.settings = mergeMaps(this.settings, incoming);
  }

  /** A missing file is a warning; invalid JSON stops the loading. */
  file(path: string): void {
    if (this.problems.length > 0) return;
    let text: string;
    try {
      text = this.#sources.files.read(path);
    } catch {
      this.note('config file does not exist or is not readable', { file: path });
      return this.note('ignoring config file', { file: path });
    }
    this.note('loading config file', { file: path });
    const parsed = parse(text);
    if ('error' in parsed) {
      this.fail({ file: path, error: parsed.error }, 'config file must be valid json');
      return;
    }
    const merged = mergeMaps(this.settings, parsed.value);
    const changes = difference(this.settings, merged);
    if (this.files.length > 0)
      this.note('config file applied changes', { file: path, changes: redact(changes) });
    this.settings = merged;
    this.files.push(path);
  }

  directory(path: string): void {
    if (this.problems.length > 0) return;
    this.note('loading config files from directory', { directory: path });
    let files: readonly string[];
    try {
      files = this.#sources.files.jsonBelow(path);
    } catch {
      return this.fail({ directory: path }, 'insufficient permissions for loading');
    }
    for (const file of files) this.file(file);
  }

  /** Settings that a client always has: its own subscription, and a transport. */
  overrides(): void {
    const { client, transport, rabbitmq } = this.settings;
    if (isMap(transport) && !('name' in transport)) {
      const name = rabbitmq === undefined ? 'websocket' : 'rabbitmq';
      this.settings = { ...this.settings, transport: { ...transport, name } };
    }
    if (!isMap(client)) return;
    const { subscriptions } = client;
    if (!Array.isArray(subscriptions)) {
      return this.note('unable to apply client overrides', {
        reason: 'client subscriptions is not an array',
        client: redact(client),
      });
    }
    const all = [...new Set([...subscriptions, `client:${client['name']}`])];
    this.settings = { ...this.settings, client: { ...client, subscriptions: all } };
    this.note('applied client overrides', { client: redact(this.settings['client']) });
  }

  note(message: string, data: object): void {
    this.notices.push({ message, data });
  }

  fail(object: object, message: string): void {
    this.problems.push({ object, message });
  }
}

const parse = (text: string): { readonly value: Json } | { readonly error: string } => {
  const trimmed = (text.startsWith(byteOrderMark) ? text.slice(1) : text).trim();
  if (trimmed === '') return { value: {} };
  try {
    const value: unknown = JSON.parse(trimmed);
    return isMap(value) ? { value } : { error: 'it must contain one JSON object' };
  } catch (error) {
    return { error: (error as Error).message };
  }
};

/** Loads and validates. If loading fails, only that is reported; validation would repeat it. */
export const loadSettings = (sources: Sources): Loaded => {
  const { configFile, configDirs, files } = sources;
  const loading = new Loading(sources);
  loading.environment();
  if (configFile !== undefined) loading.file(configFile);
  else if (files.exists(defaultConfigFile)) loading.file(defaultConfigFile);
  const dirs = configDirs ?? (files.exists(defaultConfigDir) ? [defaultConfigDir] : []);
  for (const directory of dirs) loading.directory(directory);
  loading.overrides();
  const { settings, notices } = loading;
  const problems = loading.problems.length > 0 ? loading.problems : validate(settings);
  return { settings, notices, problems, files: loading.files };
};
