// Checks the store: reachable, of a known format, with its encryption key; then the providers in it. A running backend performs
// these checks itself, since it owns the store.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TrustedAuthorities } from '../../model/access/trusted-authorities.ts';
import { storeFormat } from '../../store/format-marker.ts';
import type { MaintainedStore } from '../../store/maintained-store.ts';
import { embeddedDir } from '../../store/open-store.ts';
import type { BackendSettings } from '../backend-flags.ts';
import { encryptionKeyPath } from '../encryption-keys.ts';
import { vaultOf } from '../maintenance/check-store-command.ts';
import { askControl, type BackendStatus } from '../maintenance/control-client.ts';
import { withStore } from '../maintenance/maintenance-command.ts';
import { orphanedChecks } from '../maintenance/orphaned-checks.ts';
import { storeName } from '../maintenance/store-identity.ts';
import { clockAheadMs, clockFinding } from './clock.ts';
import { type Finding, fail, ok, type Probe, warn } from './finding.ts';
import { privateFile } from './folders.ts';
import { providerFindings } from './providers.ts';

const area = 'store';

const formatOf = (migrated: number): readonly Finding[] =>
  migrated === storeFormat
    ? []
    : [warn(area, `it has format ${migrated}, this version has ${storeFormat}`, 'run mon-backend upgrade')];

const key = (settings: BackendSettings, isNew: boolean): Finding => {
  const path = encryptionKeyPath(settings);
  if (existsSync(path)) return privateFile('key', path);
  return isNew
    ? ok('key', `${path} will be made at the first start`)
    : fail(
        'key',
        `${path} is not there: what is sealed in the store can't be opened`,
        'put the copy of it back',
      );
};

/** The checked content of a store, read by the backend that owns it or by the doctor. */
export const storeFindings = async (
  store: MaintainedStore,
  settings: BackendSettings,
  authorities: TrustedAuthorities,
): Promise<readonly Finding[]> => {
  const orphans = await orphanedChecks(store);
  const { serverTimeMs } = store;
  return [
    ...(serverTimeMs === undefined
      ? []
      : [clockFinding(storeName(settings), await clockAheadMs(() => serverTimeMs.call(store)))]),
    ...orphans.map((name) =>
      warn(
        area,
        `the namespace of the check ${name} does not exist`,
        'create it, delete the check, delete it again',
      ),
    ),
    ...(await providerFindings(store, vaultOf(settings), authorities)),
  ];
};

const ofRunning = async (settings: BackendSettings, running: BackendStatus): Promise<readonly Finding[]> => {
  const findings: Finding[] = [
    ok(
      area,
      `${storeName(settings)} is served by the backend that runs (pid ${running.pid}, ${running.version})`,
    ),
    ...formatOf(running.migrated),
    key(settings, false),
  ];
  for await (const finding of askControl(settings.stateDir, '/v1/doctor')) findings.push(finding as Finding);
  return findings;
};

const atRest = (settings: BackendSettings, authorities: TrustedAuthorities): Promise<readonly Finding[]> =>
  withStore(settings, 'inspect', async (store) => {
    const isNew = (await store.count('resource')) === 0;
    return [
      ok(area, `${storeName(settings)} can be opened, and no backend runs on it`),
      ...formatOf(store.marker.migrated),
      key(settings, isNew),
      ...(await storeFindings(store, settings, authorities)),
    ];
  });

export const storeProbe = (
  settings: BackendSettings,
  running: BackendStatus | undefined,
  authorities: TrustedAuthorities,
): Probe => ({
  area,
  ask: async () => {
    if (running !== undefined) return ofRunning(settings, running);
    const dir = embeddedDir(settings.storeUrl, settings.stateDir);
    if (dir !== undefined && !existsSync(join(dir, 'data.mdb')))
      return [ok(area, `${dir} holds no store yet: the first start makes one`), key(settings, true)];
    return atRest(settings, authorities);
  },
});
