// The `tcp` handler: connect, write the mutated event, close. No reply is read and no newline added; the timeout
// bounds dial and write.
import { connect } from 'node:net';
import type { Handler } from '../../model/handler.ts';
import { defaultSocketTimeoutSeconds, socketLingerMs } from '../limits.ts';
import { type Handling, socketAborted, socketFailure, socketTimeout } from './handling.ts';

export const tcpHandler = (
  handler: Handler,
  data: string | Buffer,
  signal: AbortSignal | undefined,
): Promise<Handling> => {
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
    // Once settled, a late error is of no interest: the data had left, or its failure is reported already.
    socket.on('error', (error) => settle(socketFailure(error, address), true));
    socket.on('finish', () => {
      settle({ outcome: 'handled', why: `${address}: ${Buffer.byteLength(data)} bytes written` }, false);
      // The far end closes when it has read everything; cutting it off at once could lose what is under way.
      const linger = setTimeout(() => socket.destroy(), socketLingerMs);
      linger.unref();
      socket.on('close', () => clearTimeout(linger));
    });
    // A reply nobody reads would keep the connection from closing.
    socket.resume();
    socket.end(data);
  });
};
