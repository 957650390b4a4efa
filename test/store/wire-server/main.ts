// A stand-in for mongod, for load and for faults: `node main.js PORT DIRECTORY [REPLICA-SET]`. It speaks MongoDB's wire
// protocol (version 21), looks documents up by `_id`, and answers a write when it is durable. It prints `listening` and ends at
// SIGTERM; `kill -9` loses nothing that was answered.
import { createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { openCollections } from './collections.ts';
import { createCommands } from './commands.ts';
import { createFailPoints } from './fail-points.ts';
import { createReader, type Doc, encodeReply, type Request } from './protocol.ts';
import { CommandError } from './query.ts';

const [port = '0', directory = '.', replicaSet] = process.argv.slice(2);
const collections = openCollections(directory);
const failPoints = createFailPoints();
const sockets = new Set<Socket>();
let steppedDownUntilMs = 0;

const runCommand = createCommands(collections, {
  ...(replicaSet === undefined ? {} : { replicaSet }),
  address: `127.0.0.1:${port}`,
  isPrimary: () => performance.now() >= steppedDownUntilMs,
  stepDown: (seconds) => {
    steppedDownUntilMs = performance.now() + seconds * 1_000;
  },
});

/** Drivers send a write again, once, where the reply carries the label that servers give these errors. */
const retryable = new Set([91, 189, 10_107, 11_600, 11_602, 13_435]);

const failure = (command: Doc, { code, codeName, message }: CommandError): Doc => ({
  ok: 0,
  code,
  codeName,
  errmsg: message,
  ...('txnNumber' in command && retryable.has(code) ? { errorLabels: ['RetryableWriteError'] } : {}),
});

const replyTo = async (command: Doc): Promise<Doc> => {
  try {
    const reply = 'configureFailPoint' in command ? failPoints.configure(command) : await runCommand(command);
    return { ...reply, ok: 1 };
  } catch (error) {
    if (error instanceof CommandError) return failure(command, error);
    return { ok: 0, code: 1, codeName: 'InternalError', errmsg: String(error) };
  }
};

const answer = async (socket: Socket, request: Request): Promise<void> => {
  const fault = failPoints.take(Object.keys(request.command)[0] ?? '');
  if (fault !== undefined) {
    if (fault.delayMs > 0) await pause(fault.delayMs);
    if (fault.closeConnection) return void socket.destroy();
    if (fault.error !== undefined)
      return void socket.write(encodeReply(request, failure(request.command, fault.error)));
  }
  const reply = await replyTo(request.command);
  if (fault?.loseReply) return void socket.destroy();
  if (!request.isSilent) socket.write(encodeReply(request, reply));
};

const server = createServer((socket) => {
  const read = createReader();
  sockets.add(socket);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => sockets.delete(socket));
  socket.on('data', (chunk) => {
    for (const request of read(chunk)) void answer(socket, request);
  });
});

server.listen(Number(port), '127.0.0.1', () => console.log('listening'));
process.on('SIGTERM', () => {
  server.close();
  for (const socket of sockets) socket.destroy();
  void collections.close().then(() => process.exit(0));
});
