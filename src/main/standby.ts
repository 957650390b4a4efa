// Hot standby: of several backends on one MongoDB database, one serves. The others wait here, answer `/ready` with 503
// and the one that serves, and take over when it stops.
import { existsSync } from 'node:fs';
import { hostname } from 'node:os';
import { createStandbyServer, type StandbyServer } from '../http/standby-server.ts';
import type { TlsOptions } from '../http/tls.ts';
import type { Logger } from '../program/log.ts';
import { SettingsError } from '../program/resolve.ts';
import type { MaintainedStore } from '../store/maintained-store.ts';
import type { OwnerDocument, OwnerNotes, StandBy } from '../store/mongo-owner.ts';
import { openStore, type StoreLocation } from '../store/open-store.ts';
import type { BackendSettings } from './backend-flags.ts';
import { encryptionKeyNames, encryptionKeyPath } from './encryption-keys.ts';
import { isAnyHost, localUrl, parseListenAddress } from './listen-address.ts';

export interface StandbyOptions {
  readonly settings: BackendSettings;
  /** For the API. */
  readonly tls: TlsOptions | undefined;
  /** Reads the files with certificates and authorities again (SIGHUP). Throws if they are unusable. */
  readonly renew: () => TlsOptions | undefined;
  /** Ends the wait. */
  readonly stop: AbortSignal;
  /** The standby answers requests. */
  readonly onWaiting: () => void;
  readonly log: Logger;
}

const words = ({ host, pid, since, api }: OwnerDocument): string =>
  `the backend ${api ? `at ${api} ` : ''}(pid ${pid} on ${host}) has served this database since ${since}`;

/** Why this backend could not decrypt what the owner stores; undefined if it can, or if the owner has not said. */
const keyFault = (settings: BackendSettings, { keys = [] }: OwnerDocument): string | undefined => {
  const path = encryptionKeyPath(settings);
  const needed = keys[0];
  if (needed === undefined || encryptionKeyNames(path).includes(needed)) return undefined;
  return (
    `a standby needs the encryption key of the backend that serves, and ${path} ` +
    `${existsSync(path) ? `does not contain it (${needed})` : 'does not exist'}: copy the file of that backend, or name it with --encryption-key-file`
  );
};

/** The URL under which other machines reach the API; empty if the port is chosen by the system. */
export const advertised = ({ apiUrl, apiListenAddress }: BackendSettings, hasTls: boolean): string => {
  if (apiUrl !== '') return apiUrl;
  const { host, port } = parseListenAddress('--api-listen-address', apiListenAddress);
  if (port === 0) return '';
  const address = isAnyHost(host) ? hostname() : host;
  return localUrl(hasTls ? 'https' : 'http', { address, port });
};

/** Opens the store; while another backend owns it, serves as its standby. Rejects with the reason of `stop`. */
export const openStoreOrStandBy = async (
  location: StoreLocation,
  { settings, tls, renew, stop, onWaiting, log }: StandbyOptions,
): Promise<MaintainedStore> => {
  const listen = parseListenAddress('--api-listen-address', settings.apiListenAddress);
  const fault = new AbortController();
  let server: StandbyServer | undefined;
  let listening: Promise<void> | undefined;
  let owner: OwnerDocument | undefined;
  let isOutageLogged = false;

  const announce = ({ api, host, pid, since }: OwnerDocument): void => {
    if (fault.signal.aborted) return;
    onWaiting();
    log.warn(
      { owner: { api, host, pid, since } },
      'on standby: another backend serves this database; this one takes over when it stops',
    );
  };
  const serve = async (): Promise<void> => {
    server = createStandbyServer({
      backendId: hostname(),
      reason: () => (owner === undefined ? 'waiting for the database' : words(owner)),
      tls,
    });
    try {
      await server.listen(listen.host, listen.port);
    } catch (error) {
      fault.abort(error);
    }
  };
  const standBy: StandBy = {
    signal: AbortSignal.any([stop, fault.signal]),
    onOwner(seen) {
      isOutageLogged = false;
      const isNew = owner?.incarnation !== seen.incarnation;
      owner = seen;
      const why = keyFault(settings, seen);
      if (why !== undefined) return fault.abort(new SettingsError(why));
      listening ??= serve();
      if (isNew) void listening.then(() => announce(seen));
    },
    onOutage(error) {
      if (isOutageLogged) return;
      isOutageLogged = true;
      log.error({ err: error }, 'on standby: the database does not respond; retrying');
    },
  };
  let keys: readonly string[] = [];
  const notes = (): OwnerNotes => {
    // The first start creates the file; after that it is read at starts only.
    if (keys.length === 0) keys = encryptionKeyNames(encryptionKeyPath(settings));
    return { api: advertised(settings, tls !== undefined), keys };
  };
  const onHangUp = (): void => {
    try {
      server?.renewCertificate(renew());
      log.warn('certificates were reloaded');
    } catch (error) {
      log.error({ err: error }, 'the new certificates cannot be used; the old ones stay');
    }
  };
  process.on('SIGHUP', onHangUp);
  try {
    const store = await openStore({ ...location, notes, standBy });
    if (listening !== undefined) log.warn('taking over the database');
    return store;
  } finally {
    await listening;
    await server?.close();
    process.off('SIGHUP', onHangUp);
  }
};
