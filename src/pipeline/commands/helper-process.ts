// The helper process: runs commands for the backend, so that a fork copies the page tables of a small process
// instead of those of the backend. When the backend exits, running commands get a grace period and are then killed:
// their results would be lost, and the next backend delivers again.
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
  // Advanced IPC serialization delivers bytes as Uint8Array.
  const { input } = order.request;
  const bytes = typeof input === 'string' ? input : Buffer.from(input);
  const result = await runCommand({ ...order.request, input: bytes, signal: abort.signal });
  aborts.delete(order.id);
  const report: HelperReport = { id: order.id, result };
  if (process.connected) process.send?.(report);
};

process.on('message', (order: HelperOrder) => {
  // runCommand never rejects. If it does, that is a bug: this process crashes and is restarted.
  void obey(order);
});
process.on('disconnect', () => {
  setTimeout(() => {
    for (const abort of aborts.values()) abort.abort();
  }, orphanGraceMs).unref();
});
// Terminal signals reach the whole process group. The backend ends its helper by disconnecting, so ignore them.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});
