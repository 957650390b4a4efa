// Checks of a record beyond those of the store: its key, its machine state, its sealed values.

import { parseStoreKey } from '../../actors/resources/resource.ts';
import { isSealed, type Vault } from '../../actors/resources/vault.ts';
import { restoreCheck } from '../../machines/check/check-machine.ts';
import { restoreClient } from '../../machines/client/client-machine.ts';
import { restoreEntity } from '../../machines/entity/entity-machine.ts';
import { isObject } from '../../model/schema/is-object.ts';
import type { RecordKind, StoredRecord } from '../../store/snapshot-store.ts';

export interface FaultContext {
  readonly namespaces: ReadonlySet<string>;
  /** Decrypts sealed values; undefined if the key file is missing. */
  readonly vault: Vault | undefined;
}

type Look = (key: string, record: StoredRecord, context: FaultContext) => void;

const requireParts = (key: string, parts: number): void => {
  if (key.split('/').length !== parts) throw new Error(`its key must have ${parts} parts`);
};

const requireNamespace = (namespace: string, { namespaces }: FaultContext): void => {
  if (!namespaces.has(namespace)) throw new Error(`its namespace ${namespace} does not exist`);
};

/** Created and maintained by the backend itself. */
const ownNamespace = 'mon-system';

const watched =
  (parts: number, restore: (state: unknown, version: number) => unknown): Look =>
  (key, { state, version }, context) => {
    requireParts(key, parts);
    restore(state, version);
    const namespace = key.slice(0, key.indexOf('/'));
    if (namespace !== ownNamespace) requireNamespace(namespace, context);
  };

const resource: Look = (key, { state }, context) => {
  const { segment, namespace, name } = parseStoreKey(key);
  if (!isObject(state)) throw new Error('it holds no resource');
  if (namespace !== '') requireNamespace(namespace, context);
  if (isSealed(state)) context.vault?.open(`${segment}/${name}`, state);
};

const system: Look = (key, { state }, { vault }) => {
  if (!isObject(state)) throw new Error('it holds nothing');
  if (key === 'backend-secret' && isSealed(state)) vault?.open(key, state);
  if (key.startsWith('announcement/') && !isObject(state['event'])) throw new Error('it holds no event');
  if (key.startsWith('aside/')) throw new Error('it was put aside by a backend that could not restore it');
};

const turns: Look = (_key, { state }) => {
  if (!isObject(state) || !isObject(state['lastTurns'])) throw new Error('it holds no turns');
};

const delivery: Look = (key, { state }) => {
  requireParts(key, 4);
  if (!isObject(state) || !isObject(state['event'])) throw new Error('it holds no event');
};

const anything: Look = () => {};

const looks: Readonly<Record<RecordKind, Look>> = {
  check: watched(3, restoreCheck),
  delivery,
  entity: watched(2, restoreEntity),
  client: (_key, { state, version }) => {
    restoreClient(state, version);
  },
  schedule: turns,
  resource,
  system,
  silence: anything,
  session: (_key, { state }) => {
    if (!isObject(state)) throw new Error('it holds no login');
  },
};

/** The first fault of the record; undefined if it is valid. */
export const recordFault = (
  kind: RecordKind,
  key: string,
  record: StoredRecord,
  context: FaultContext,
): string | undefined => {
  try {
    looks[kind](key, record, context);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
