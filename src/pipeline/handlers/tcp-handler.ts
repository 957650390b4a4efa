// The `tcp` handler: connects, writes the mutated event, closes. It reads no reply and adds no newline. The timeout
// covers connect and write.
import { connect } from 'node:net';
import { defaultSocketTimeoutSeconds, socketLingerMs } from '../limits.ts';
import { type Handling, type HandOver, socketAborted, socketFailure, socketTimeout } from './handling.ts';

export const tcpHandler = ({
  handler,
  data,
  signal,
}: Pick<HandOver, 'handler' | 'data' | 'signal'>): Promise<Handling> => {
  const host = handler.socket?.host ?? '';
  const port = handler.socket?.port ?? 0;
  const address = `tcp ${host}:${port}`;
  const seconds = handler.timeout || defaultSocketTimeoutSeconds;
  if (signal?.aborted === true) return Promise.resolve(socketAborted(address));
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const timer = setTimeout(() => settle(socketTimeout(address, seconds), true), seconds * 1000);
    const abort = (): void => settle(socketAborted(address), true);
    signal?.addEventListener('abort', abort, { once: true });
    const settle = (handling: Handling, destroy: boolean): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      if (destroy) socket.destroy();
      resolve(handling);
    };
    // After settling, errors are ignored: the data was written, or its failure is already reported.
    socket.on('error', (error) => settle(socketFailure(error, address), true));
    socket.on('finish', () => {
      settle({ outcome: 'handled', why: `${address}: ${Buffer.byteLength(data)} bytes written` }, false);
      // The peer closes when it has read everything; destroying the socket immediately could lose data in transit.
      const linger = setTimeout(() => socket.destroy(), socketLingerMs);
      linger.unref();
      socket.on('close', () => clearTimeout(linger));
    });
    // Discards replies; unread data would keep the connection open.
    socket.resume();
    socket.end(data);
  });
};
