// A process that takes the lock of a directory, tells its parent, and keeps it until it is killed.
import { rulesOf } from '../../src/agent/platform.ts';
import { takeQueueLock } from '../../src/agent/queue/queue-owner.ts';

const [system = '', folder = ''] = process.argv.slice(2);
await takeQueueLock(rulesOf(system as NodeJS.Platform).queueLock(folder));
setInterval(() => {}, 60_000);
process.send?.('taken');
