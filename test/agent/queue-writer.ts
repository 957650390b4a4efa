// A process that writes to a queue as fast as it can, and tells its parent each text that is on disk, until it is killed.
import { openQueueFiles } from '../../src/agent/queue/queue-files.ts';
import { readableLog } from './helpers.ts';

const [folder = '', life = ''] = process.argv.slice(2);
const files = openQueueFiles(folder, readableLog().log, { segmentBytes: 8_192, totalBytes: 100_000_000 });
const writeOn = async (writer: number): Promise<void> => {
  for (let at = 0; process.connected; at += 1) {
    const text = `${life}/${writer}/${at} ${'x'.repeat((at * 37) % 600)}`;
    await files.append(text);
    process.send?.(text);
  }
};
await Promise.all([1, 2, 3, 4].map(writeOn));
