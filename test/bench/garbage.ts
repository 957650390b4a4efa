// What one event costs without sockets: frames of agents through the real edge, actors and store in this process. Bytes
// allocated do not depend on what else the machine does, and CPU time hardly. Run alone with
// `node --max-semi-space-size=64 dist/test/bench/garbage.js`.
import { mkdtemp, rm } from 'node:fs/promises';
import type { HeapProfiler } from 'node:inspector';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Backend } from '../../src/actors/backend.ts';
import { AckBatcher } from '../../src/http/edge/acknowledger.ts';
import { AgentConnection, type AgentSocket } from '../../src/http/edge/agent-connection.ts';
import { KnownDefinitions } from '../../src/http/edge/binary-memory.ts';
import { protobufCodec } from '../../src/http/edge/codec.ts';
import { newEdgeCounts } from '../../src/http/edge/counts.ts';
import { KnownFrames } from '../../src/http/edge/known-frame.ts';
import { edgeLimits } from '../../src/http/edge/limits.ts';
import { silentLog } from '../../src/http/log.ts';
import { openLmdbStore } from '../../src/store/lmdb-store.ts';
import { checkName, definitionOf } from './real/plan.ts';
import { entityOf, nowSeconds, wireOf } from './real/wire.ts';

const agents = 300;
const checks = 10;
const warmUpRounds = 5;
const rounds = 12;
/** Frames that are offered before the loop turns, and how many may wait for their commit. */
const inTurn = 16;
const inFlight = 200;
const shown = 12;

const wire = wireOf({ encoding: 'protobuf' });
const idOf = (count: number): string => `0b6f3f4e-8c1c-4a5e-9d6a-${count.toString(16).padStart(12, '0')}`;
const idBytes = Buffer.from(idOf(0).replaceAll('-', ''), 'hex');
const countBytes = 6;

const socket: AgentSocket = {
  send: (_data, written) => written(),
  close() {},
  terminate() {},
  pause() {},
  resume() {},
  ping() {},
  bufferedBytes: 0,
};

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Frames whose id can be counted up in place. */
const frameOf = (agent: string, check: string) => {
  const issued = nowSeconds();
  const request = { config: definitionOf(check, 5, []), issued };
  const result = { id: idOf(0), sequence: 1, issued, status: 0, entity: entityOf(agent) };
  const frame = wire.result(request, result);
  return { frame, idAt: frame.indexOf(idBytes) };
};

/** Frames of this file and of the loop it turns: no part of an event. */
const isOwn = ({ functionName, url }: HeapProfiler.SamplingHeapProfileNode['callFrame']): boolean =>
  url.endsWith('/garbage.js') || ['processImmediate', 'setImmediate'].includes(functionName);

const allocatedDuring = async (work: () => Promise<void>): Promise<ReadonlyMap<string, number>> => {
  const session = new Session();
  session.connect();
  const options = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
  await session.post('HeapProfiler.startSampling', { samplingInterval: 4_096, ...options });
  await work();
  const { profile } = await session.post('HeapProfiler.stopSampling');
  session.disconnect();
  const bytes = new Map<string, number>();
  const add = ({ callFrame, selfSize, children }: HeapProfiler.SamplingHeapProfileNode): void => {
    const name = `${callFrame.functionName || '(anonymous)'} ${callFrame.url.replace(/.*\//, '')}`;
    if (!isOwn(callFrame)) bytes.set(name, (bytes.get(name) ?? 0) + selfSize);
    for (const child of children) add(child);
  };
  add(profile.head);
  return bytes;
};

const measure = async (backend: Backend): Promise<void> => {
  const counts = newEdgeCounts();
  const shared = { memory: { json: new KnownFrames(), binary: new KnownDefinitions() }, counts };
  const acks = new AckBatcher(counts.ackSeconds);
  const senders = Array.from({ length: agents }, (_, index) => {
    const agentName = `bench-${index}`;
    const identity = { namespace: 'default', agentName, mayReportFor: () => true };
    const connection = new AgentConnection({
      ...{ ...shared, socket, backend, codec: protobufCodec, identity, acks, limits: edgeLimits },
      ...{ user: 'agent', mayStay: () => true, log: silentLog },
    });
    const frames = Array.from({ length: checks }, (_, check) => frameOf(agentName, checkName(check)));
    return { connection, frames };
  });
  let sent = 0;
  const round = async (): Promise<void> => {
    for (let check = 0; check < checks; check += 1) {
      for (const { connection, frames } of senders) {
        const { frame, idAt } = frames[check] as ReturnType<typeof frameOf>;
        sent += 1;
        const copy = Buffer.from(frame);
        copy.writeUIntBE(sent, idAt + idBytes.length - countBytes, countBytes);
        connection.receive(copy);
        if (sent % inTurn === 0) await turn();
        while (sent - counts.accepted > inFlight) await turn();
      }
    }
    while (counts.accepted < sent) await turn();
  };
  for (let index = 0; index < warmUpRounds; index += 1) await round();
  const each = agents * checks;
  const cpu: number[] = [];
  for (let index = 0; index < rounds; index += 1) {
    const before = process.cpuUsage();
    await round();
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / each);
  }
  const bytes = [...(await allocatedDuring(round))].sort(([, a], [, b]) => b - a);
  const total = bytes.reduce((sum, [, some]) => sum + some, 0);
  console.log(
    `  ${(total / each / 1_000).toFixed(1)} kB allocated an event, ${Math.min(...cpu).toFixed(0)} us CPU ` +
      `(best of ${rounds} rounds of ${each}, all threads)`,
  );
  for (const [name, some] of bytes.slice(0, shown))
    console.log(`  ${(some / each).toFixed(0).padStart(6)} ${name}`);
};

export const benchGarbage = async (): Promise<void> => {
  const dir = await mkdtemp(join(tmpdir(), 'mon-bench-'));
  const store = await openLmdbStore({ dir });
  try {
    const { backend } = await Backend.open({
      ...{ store, log: silentLog, name: 'bench', entityLimit: 0, deregistrationHandler: '' },
      ...{ deliveryWorkers: 10, env: {}, onCollapse: () => process.exit(1) },
    });
    const name = 'default';
    await backend.resources.put({ segment: 'namespaces', namespace: '', name }, { name });
    await backend.serve();
    await measure(backend);
    await backend.stop();
  } finally {
    await store.close();
    await rm(dir, { recursive: true, force: true });
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchGarbage();
