// What an event costs that has to travel to another backend: a sender, an owner and a nats-server, each a process of its own, with
// events of 1.5 kB. As many as are in flight make one batch, and the next leaves when its reply is there. The owner applies
// nothing: only the way there and back is measured. Run alone with `node dist/test/bench/bus.js`.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { natsSkipReason, startNats } from '../cluster/nats-server.ts';
import type { BusLoad, BusLoadResult } from './bus-peer.ts';
import { cpuTimeUs } from './cpu-time.ts';

const peer = fileURLToPath(new URL('./bus-peer.js', import.meta.url));

const message = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    child.once('message', (value) => resolve(value as T));
    child.once('exit', (code) => reject(new Error(`a peer ended with ${code}`)));
  });

const measure = async (url: string, server: number, inFlight: number): Promise<string> => {
  const owner = fork(peer, ['owner', url]);
  const edge = fork(peer, ['edge', url]);
  try {
    await Promise.all([message(owner), message(edge)]);
    const pids = [edge.pid ?? 0, owner.pid ?? 0, server];
    const run = async (load: BusLoad): Promise<BusLoadResult> => {
      edge.send(load);
      return message<BusLoadResult>(edge);
    };
    // Many events, so that the engine has compiled everything.
    await run({ inFlight: 1_024, seconds: 4 });
    const before = pids.map((pid) => cpuTimeUs(pid).process);
    const { events, batches, seconds, p50Ms, p99Ms } = await run({ inFlight, seconds: 5 });
    const costs = pids.map((pid, index) => (cpuTimeUs(pid).process - (before[index] ?? 0)) / events);
    const [atEdge = 0, atOwner = 0, inServer = 0] = costs;
    const us = (value: number): string => value.toFixed(1).padStart(6);
    const size = (events / batches).toFixed(1).padStart(6);
    const rate = `${(events / seconds).toFixed(0).padStart(7)} events/s`;
    const cpu = `edge ${us(atEdge)} us  owner ${us(atOwner)} us  server ${us(inServer)} us`;
    return `  batches of ${size}: ${rate}   CPU an event: ${cpu}   p50 ${p50Ms.toFixed(1)} ms  p99 ${p99Ms.toFixed(1)} ms`;
  } finally {
    owner.kill('SIGKILL');
    edge.kill('SIGKILL');
  }
};

export const benchBus = async (): Promise<void> => {
  const missing = natsSkipReason();
  if (missing !== false) return console.log(`  ${missing}`);
  const server = await startNats();
  try {
    for (const inFlight of [1, 16, 64, 256]) console.log(await measure(server.url, server.pid, inFlight));
  } finally {
    await server.stop();
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchBus();
