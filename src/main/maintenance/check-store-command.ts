// `mon-backend check-store`: lists records that a backend cannot use, moves them aside and restores them.
import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { createVault, type Vault } from '../../actors/resources/vault.ts';
import type { MaintainedStore } from '../../store/maintained-store.ts';
import type { BackendSettings } from '../backend-flags.ts';
import { encryptionKeyPath, readEncryptionKeys } from '../encryption-keys.ts';
import { type BadRecord, type CheckStep, checkStore } from './check-store.ts';
import { askControl } from './control-client.ts';
import {
  type ExitWith,
  maintenanceCommand,
  maintenanceSettings,
  runningBackend,
  withStore,
} from './maintenance-command.ts';
import { createProgress, shownCount } from './progress.ts';
import { storeName } from './store-identity.ts';

/** Undefined without the key file: sealed values are then not checked. */
export const vaultOf = (settings: BackendSettings): Vault | undefined => {
  const path = encryptionKeyPath(settings);
  return existsSync(path) ? createVault(readEncryptionKeys(path)) : undefined;
};

/** Prints its findings; resolves to the bad records. */
const follow = async (steps: AsyncIterable<CheckStep>): Promise<readonly BadRecord[]> => {
  const progress = createProgress();
  const bad: BadRecord[] = [];
  for await (const step of steps) {
    if (step.type === 'progress') progress.show(`${shownCount(step.progress)} records read`);
    else progress.end();
    if (step.type === 'bad') {
      bad.push(step);
      console.log(`bad  ${step.kind} ${step.key}: ${step.fault}`);
    }
    if (step.type === 'checked') {
      const all = Object.entries(step.counts).map(([kind, count]) => `${shownCount(count)} ${kind}`);
      console.log(
        `${all.length === 0 ? 'no records' : `records read: ${all.join(', ')}`}; bad: ${shownCount(step.bad)}`,
      );
    }
  }
  return bad;
};

const check = async (settings: BackendSettings): Promise<number> => {
  const running = await runningBackend(settings);
  if (running === undefined && vaultOf(settings) === undefined)
    console.error(`${encryptionKeyPath(settings)} is not there: what is sealed was not looked into`);
  const bad =
    running === undefined
      ? await withStore(settings, 'inspect', (store) => follow(checkStore(store, vaultOf(settings))))
      : await follow(askControl(settings.stateDir, '/v1/check-store') as AsyncGenerator<CheckStep>);
  if (bad.length === 0) return 0;
  console.error(
    'A backend starts without these records. --set-aside takes them out of the store, --put-back brings them back; or restore a backup.',
  );
  return 1;
};

const requireAtRest = async (settings: BackendSettings): Promise<void> => {
  const running = await runningBackend(settings);
  if (running !== undefined)
    throw new Error(
      `a backend (pid ${running.pid}) serves from ${storeName(settings)}: stop it before records are put aside or back`,
    );
};

const setAside = async (settings: BackendSettings): Promise<number> => {
  await requireAtRest(settings);
  return withStore(settings, 'serve', async (store) => {
    const bad = await follow(checkStore(store, vaultOf(settings)));
    for (const { kind, key, fault } of bad) await store.setAside(kind, key, fault);
    if (bad.length > 0)
      console.log(`${shownCount(bad.length)} records were put aside; --list-aside names them`);
    return 0;
  });
};

const listAside = async (store: MaintainedStore): Promise<number> => {
  let count = 0;
  for await (const { id, atMs, reason } of store.listAside()) {
    count += 1;
    console.log([id, new Date(atMs).toISOString(), reason].filter(Boolean).join('  '));
  }
  if (count === 0) console.error('nothing was put aside');
  return 0;
};

const answers = {
  absent: 'nothing of this id was put aside; --list-aside names what was',
  taken: 'a newer record was written under its key; delete that first',
} as const;

const putBack = async (settings: BackendSettings, id: string): Promise<number> => {
  await requireAtRest(settings);
  return withStore(settings, 'serve', async (store) => {
    const result = await store.putBack(id);
    if (result !== 'done') throw new Error(`${id}: ${answers[result]}`);
    console.log(`${id} is back in the store`);
    return 0;
  });
};

interface Options {
  readonly setAside?: boolean;
  readonly listAside?: boolean;
  readonly putBack?: string;
}

export const checkStoreCommand = (exitWith: ExitWith): Command => {
  const command: Command = maintenanceCommand({
    name: 'check-store',
    description:
      'read every record of the store, also while the backend serves from it, and name those that are bad; exits 1 when there are some',
    examples: [
      'mon-backend check-store',
      'mon-backend check-store --set-aside',
      'mon-backend check-store --put-back check/default/web-01/cpu@1783987200000#41',
    ],
  })
    .option('--set-aside', 'take bad records out of the way, byte for byte, while no backend runs')
    .option('--list-aside', 'name what was put aside, by this command or by a backend')
    .option('--put-back <id>', 'bring back one record that was put aside, while no backend runs')
    .action(() =>
      exitWith(async () => {
        const settings = maintenanceSettings(command);
        const options: Options = command.opts();
        if (options.putBack !== undefined) return putBack(settings, options.putBack);
        if (options.setAside === true) return setAside(settings);
        if (options.listAside !== true) return check(settings);
        await requireAtRest(settings);
        return withStore(settings, 'inspect', listAside);
      }),
    );
  return command;
};
