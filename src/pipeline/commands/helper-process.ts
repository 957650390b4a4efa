// The helper process: runs commands for the backend, so that forking copies the page tables of a small process and
// not of one that holds every entity. When the backend ends, running commands get a while to finish; then they are ended
// too: nobody would ever learn what came of them, and the next backend delivers again.
import { orphanGraceMs } from '../limits.ts';
import type { HelperOrder, HelperReport } from './protocol.ts';
import { runCommand } from './run-command.ts';

const aborts = new Map<number, AbortController>();

const obey = async (order: HelperOrder): Promise<void> => {
  if (order.type === 'abort') {
    aborts.get(order.id)?.abort();
    return;
  }
  const abort = new AbortController();
  aborts.set(order.id, abort);
  // An advanced message carries bytes as Uint8Array.
  const { input } = order.request;
  const bytes = typeof input === 'string' ? input : Buffer.from(input);
  const result = await runCommand({ ...order.request, input: bytes, signal: abort.signal });
  aborts.delete(order.id);
  const report: HelperReport = { id: order.id, result };
  if (process.connected) process.send?.(report);
};

process.on('message', (order: HelperOrder) => {
  // runCommand never rejects; if it does, that is a bug, and this process ends loudly and is started anew.
  void obey(order);
});
process.on('disconnect', () => {
  setTimeout(() => {
    for (const abort of aborts.values()) abort.abort();
  }, orphanGraceMs).unref();
});
// Signals of the terminal go to the whole group; the backend decides when its helper ends, by hanging up.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
