// What every command gets: the streams, the settings of this run, and the client of the API, made when it is first needed.
import { homedir } from 'node:os';
import type { ApiClient } from './client/api-client.ts';
import { CtlError } from './failure.ts';
import type { Look } from './output/table.ts';
import { forTerminal, manyLines } from './output/terminal-text.ts';
import { ConfigStore, defaultConfigDir } from './settings/config-file.ts';
import {
  fromEnvironment,
  type GivenOptions,
  resolveSettings,
  type Settings,
  type Variables,
} from './settings/settings.ts';

export interface Streams {
  readonly in: NodeJS.ReadStream;
  readonly out: NodeJS.WriteStream;
  readonly err: NodeJS.WriteStream;
  readonly env: Variables;
}

export interface Session {
  readonly streams: Streams;
  readonly store: ConfigStore;
  readonly settings: Settings;
  /** Every option of the command line, by long name; text, or a list of texts where it may be repeated. */
  readonly given: GivenOptions;
  readonly look: Look;
  /** A line on standard output. */
  print(text: string): void;
  /** A line on standard error. */
  note(text: string): void;
  /** True when questions can be put to a person. */
  readonly canAsk: boolean;
  /** Throws when there is no address or no credentials. */
  api(): Promise<ApiClient>;
}

const connect = async (settings: Settings, store: ConfigStore, env: Variables): Promise<ApiClient> => {
  if (settings.apiUrl === '')
    throw new CtlError(
      'No API URL is defined. You can either configure an API URL by running "mon-ctl configure" or by using the --api-url command line option',
    );
  const { ApiClient } = await import('./client/api-client.ts');
  const { tokenCredentials, transportOf } = await import('./client/tokens.ts');
  const transport = transportOf(settings, env);
  if (settings.apiKey !== '')
    return new ApiClient(settings.apiUrl, transport, {
      authorization: async () => `Key ${settings.apiKey}`,
      renew: async () => undefined,
    });
  if (!settings.saved.access_token)
    throw new CtlError(
      'Unable to locate credentials. You can either configure credentials by running "mon-ctl configure" or by using the --api-key command line option',
    );
  return new ApiClient(settings.apiUrl, transport, tokenCredentials(settings, store, transport));
};

const lookOf = ({ out, env }: Streams): Look => ({
  colour: out.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb',
  // A terminal of unknown width says 0.
  width: out.isTTY === true ? out.columns || undefined : undefined,
});

export const openSession = async (streams: Streams, given: GivenOptions): Promise<Session> => {
  const { env } = streams;
  const dir =
    (typeof given['config-dir'] === 'string' ? given['config-dir'] : undefined) ??
    fromEnvironment(env, 'config-dir') ??
    defaultConfigDir(env, homedir());
  const store = new ConfigStore(dir);
  const settings = resolveSettings(given, env, await store.read());
  let client: Promise<ApiClient> | undefined;
  return {
    streams,
    store,
    settings,
    given,
    look: lookOf(streams),
    print: (text) => void streams.out.write(`${streams.out.isTTY === true ? forTerminal(text) : text}\n`),
    note: (text) => void streams.err.write(`${manyLines(text)}\n`),
    canAsk: streams.in.isTTY === true && streams.err.isTTY === true,
    api: () => (client ??= connect(settings, store, env)),
  };
};
