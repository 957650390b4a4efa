// A whole backend on a memory store and the real clock, with the API of the earlier generation in front of it.
import { hashSync } from '@node-rs/bcrypt';
import { Backend } from '../../../src/actors/backend.ts';
import { seedIfEmpty } from '../../../src/actors/resources/seed.ts';
import { realClock } from '../../../src/actors/runtime/time/clock.ts';
import { createCredentials } from '../../../src/http/auth/credentials.ts';
import { createGuessThrottle } from '../../../src/http/auth/guess-throttle.ts';
import { createHashingQueue } from '../../../src/http/auth/hashing-queue.ts';
import { createEarlierApi, type EarlierApiOptions } from '../../../src/http/earlier-api/server.ts';
import { silentLog } from '../../../src/http/log.ts';
import { checkConfigSchema } from '../../../src/model/check/check.ts';
import { attributesAnnotation } from '../../../src/model/earlier/attributes.ts';
import type { Event } from '../../../src/model/event/event.ts';
import { MemoryDisk, MemoryStore, type MemoryStoreOptions } from '../../../src/store/memory-store.ts';

export const password = 'P@ssw0rd!';

interface Told {
  readonly entity: string;
  readonly check: string;
  readonly status: number;
}

export const openLiveBackend = async (
  options: Pick<
    EarlierApiOptions,
    'tls' | 'silencing' | 'timeouts' | 'maxInHandBytes' | 'metrics' | 'maxUnreadBytes'
  > = {},
  store: MemoryStoreOptions = {},
) => {
  const told: Told[] = [];
  const warnings: string[] = [];
  const note = (_fields: object, text: string) => void warnings.push(text);
  const backend = await Backend.open({
    store: new MemoryStore({ disk: new MemoryDisk(), ...store }),
    log: { debug: () => {}, info: () => {}, warn: note, error: note },
    name: 'b1',
    entityLimit: 0,
    deregistrationHandler: '',
    deliveryWorkers: 10,
    env: {},
    onCollapse: () => {
      throw new Error('the tree gave up');
    },
    runPipelines: async (event: Event) => {
      const { entity, check } = event;
      told.push({
        entity: entity.metadata.name,
        check: check?.metadata.name ?? '',
        status: check?.status ?? 0,
      });
      return {
        event: { id: event.id, namespace: '', entity: '', check: null, timestamp: 0 },
        startedAtMs: 0,
        durationMs: 0,
        workflows: [],
        skipped: [],
        retry: false,
        summary: '',
      };
    },
  }).then(({ backend: opened }) => opened);
  await seedIfEmpty(backend.resources, {
    adminUsername: 'admin',
    adminPassword: password,
    hash: async (text) => hashSync(text, { cost: 4 }),
  });
  await backend.serve();
  const credentials = createCredentials({
    table: backend.resources,
    hashing: createHashingQueue(),
    throttle: createGuessThrottle(() => realClock.monotonicMs()),
  });
  const api = createEarlierApi({
    backend,
    authenticator: { credentials },
    log: silentLog,
    wallMs: () => Date.now(),
    version: '0.1.0',
    ...options,
  });
  const { port } = await api.listen('127.0.0.1', 0);
  /** `attributes` are those of the earlier generation that a check has no field for. */
  const define = (name: string, fields: object, attributes?: object) =>
    backend.resources.put(
      { segment: 'checks', namespace: 'default', name },
      checkConfigSchema.parse({
        metadata: {
          name,
          namespace: 'default',
          ...(attributes === undefined
            ? {}
            : { annotations: { [attributesAnnotation]: JSON.stringify(attributes) } }),
        },
        interval: 3_600,
        ...fields,
      }) as never,
    );
  return {
    backend,
    port,
    url: `http://127.0.0.1:${port}`,
    told,
    warnings,
    define,
    close: async () => {
      await api.close();
      await backend.stop();
    },
  };
};

export type LiveBackend = Awaited<ReturnType<typeof openLiveBackend>>;
