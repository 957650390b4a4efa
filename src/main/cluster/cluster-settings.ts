// What the flags say about the cluster, checked before anything connects.
import { hostname } from 'node:os';
import type { NatsSettings } from '../../cluster/nats-options.ts';
import { subjectsOf } from '../../cluster/subjects.ts';
import { SettingsError } from '../../program/resolve.ts';
import type { BackendSettings } from '../backend-flags.ts';

export interface ClusterSettings {
  /** Of this backend. */
  readonly name: string;
  readonly subjects: ReturnType<typeof subjectsOf>;
  readonly nats: NatsSettings;
}

const busFlags = {
  busCaFile: 'caFile',
  busCertFile: 'certFile',
  busCredentialsFile: 'credentialsFile',
  busKeyFile: 'keyFile',
  busNkeyFile: 'nkeyFile',
} as const;

const flagOf = (setting: string): string =>
  `--${setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

const nameRule = 'must be 1 to 64 letters, digits, - or _';
const nameForm = /^[A-Za-z0-9_-]{1,64}$/;

const checkedName = (flag: string, name: string): string => {
  if (nameForm.test(name)) return name;
  throw new SettingsError(`${flag} ${nameRule} (got ${JSON.stringify(name)})`);
};

/** Serving together is not complete: who tries it says so. */
const previewVariable = 'MON_BACKEND_PREVIEW';

/** Undefined for a backend that is no member of a cluster. Throws a SettingsError. */
export const clusterSettings = (
  settings: BackendSettings,
  env: Readonly<Record<string, string | undefined>>,
): ClusterSettings | undefined => {
  const urls = settings.busUrl.flatMap((some) => some.split(/[\s,]+/)).filter((url) => url !== '');
  const files = Object.entries(busFlags).flatMap(([setting, option]) => {
    const file = settings[setting as keyof typeof busFlags];
    return file === '' ? [] : [[setting, option, file] as const];
  });
  if (urls.length === 0) {
    const [given] = files;
    if (given === undefined) return undefined;
    throw new SettingsError(`${flagOf(given[0])} is for the servers of --bus-url, which is not given`);
  }
  if (env[previewVariable] !== 'cluster')
    throw new SettingsError(
      `--bus-url is a preview: some parts of a cluster are not built yet, and docs/cluster.md lists them; set ${previewVariable}=cluster to try it, not for production`,
    );
  if (!/^mongodb(\+srv)?:/i.test(settings.storeUrl))
    throw new SettingsError(
      '--bus-url joins a cluster, whose backends share a MongoDB database: give all of them the same --store-url mongodb://...',
    );
  if (settings.earlierApiPort !== 0 || settings.earlierBrokers.length > 0)
    throw new SettingsError(
      '--earlier-api-port and --earlier-brokers cannot be used together with --bus-url yet: clients of the earlier generation need a backend that serves alone',
    );
  const name =
    settings.name === ''
      ? hostname()
          .replace(/[^A-Za-z0-9_-]/g, '-')
          .slice(0, 64)
      : checkedName('--name', settings.name);
  return {
    name,
    subjects: subjectsOf(checkedName('--cluster-name', settings.clusterName)),
    nats: { urls, name, ...Object.fromEntries(files.map(([, option, file]) => [option, file])) },
  };
};
