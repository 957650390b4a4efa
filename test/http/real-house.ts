// The HTTP room over the real backend on a store in memory: everything but the disk and the process.
import type { KeyObject } from 'node:crypto';
import type { TestContext } from 'node:test';
import { Backend } from '../../src/actors/backend.ts';
import type { BackendOptions } from '../../src/actors/compose/open-dependencies.ts';
import { seedIfEmpty } from '../../src/actors/resources/seed.ts';
import { type Api, type ApiOptions, createApi } from '../../src/http/api.ts';
import type { EdgeLimits } from '../../src/http/edge/limits.ts';
import { inspectionDocs } from '../../src/http/inspect/route-docs.ts';
import { silentLog } from '../../src/http/log.ts';
import { addLiveInspection, openEventList } from '../../src/main/live-inspection.ts';
import { MemoryStore } from '../../src/store/memory-store.ts';
import type { SnapshotStore } from '../../src/store/snapshot-store.ts';
import { hashOf } from './harness.ts';

export interface RealHouse {
  readonly backend: Backend;
  readonly api: Api;
  readonly url: string;
  readonly agentUrl: string;
  /** Errors the HTTP room logged: faults of ours. */
  readonly faults: unknown[];
  /** `Bearer ...` of the administrator. */
  login(user?: string, password?: string): Promise<string>;
}

export const realAdmin = 'root-of-test';
export const realPassword = 'correct-horse-battery';

export const openRealHouse = async (
  t: TestContext,
  options: Partial<Pick<ApiOptions, 'clock'>> & {
    readonly entityLimit?: number;
    readonly licenseKey?: KeyObject;
    readonly store?: SnapshotStore;
    readonly shared?: BackendOptions['shared'];
    readonly encryptionKeys?: BackendOptions['encryptionKeys'];
    readonly agentLimits?: Partial<EdgeLimits>;
    readonly runPipelines?: BackendOptions['runPipelines'];
  } = {},
): Promise<RealHouse> => {
  const faults: unknown[] = [];
  const license = options.licenseKey === undefined ? {} : { licenseKey: options.licenseKey };
  const log = { ...silentLog, error: (fields: object) => void faults.push(fields) };
  const { backend } = await Backend.open({
    store: options.store ?? new MemoryStore(),
    shared: options.shared,
    encryptionKeys: options.encryptionKeys,
    ...(options.runPipelines === undefined ? {} : { runPipelines: options.runPipelines }),
    log: { ...silentLog, fatal: () => {} } as never,
    name: 'backend-1',
    entityLimit: options.entityLimit ?? 0,
    ...license,
    deregistrationHandler: '',
    deliveryWorkers: 4,
    env: { PATH: process.env.PATH },
    onCollapse: () => faults.push('the supervisor tree gave up'),
  });
  await seedIfEmpty(backend.resources, {
    adminUsername: realAdmin,
    adminPassword: realPassword,
    hash: async (password) => hashOf(password),
  });
  const eventList = openEventList(backend);
  const api = await createApi({
    logins: backend,
    backend,
    routes: eventList.routes,
    described: inspectionDocs,
    log,
    clock: options.clock ?? { wallMs: () => Date.now(), monotonicMs: () => performance.now() },
    version: '0.1.0',
    backendId: 'backend-1',
    ...license,
    http: { host: '127.0.0.1', port: 0 },
    agents: { host: '127.0.0.1', port: 0, limits: options.agentLimits ?? {} },
  });
  addLiveInspection({ backend, api, log: log as never, eventList, allowControl: false });
  await backend.serve();
  const { http, agents } = await api.listen();
  t.after(async () => {
    await api.close();
    await backend.stop();
  });
  const url = `http://127.0.0.1:${http.port}`;
  return {
    backend,
    api,
    url,
    agentUrl: `ws://127.0.0.1:${agents.port}`,
    faults,
    async login(user = realAdmin, password = realPassword) {
      const basic = Buffer.from(`${user}:${password}`).toString('base64');
      const reply = await fetch(`${url}/auth`, { headers: { Authorization: `Basic ${basic}` } });
      const { access_token: token } = (await reply.json()) as { access_token: string };
      return `Bearer ${token}`;
    },
  };
};
