// The `udp` handler: sends the mutated event as one datagram. UDP does not confirm delivery, so success only means
// that it was sent.

import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { within } from '../../model/time/within.ts';
import { defaultSocketTimeoutSeconds, maxDatagramBytes } from '../limits.ts';
import { type Handling, type HandOver, socketAborted, socketFailure, socketTimeout } from './handling.ts';

export const udpHandler = async ({
  handler,
  data,
  signal,
}: Pick<HandOver, 'handler' | 'data' | 'signal'>): Promise<Handling> => {
  const host = handler.socket?.host ?? '';
  const port = handler.socket?.port ?? 0;
  const address = `udp ${host}:${port}`;
  const bytes = Buffer.byteLength(data);
  if (bytes > maxDatagramBytes)
    return {
      outcome: 'failed',
      why: `${address}: ${bytes} bytes do not fit into one datagram (at most ${maxDatagramBytes}); use a mutator or tcp`,
    };
  const seconds = handler.timeout || defaultSocketTimeoutSeconds;
  return bounded(send(host, port, data, address, bytes), address, seconds, signal);
};

const send = async (
  host: string,
  port: number,
  data: string | Buffer,
  address: string,
  bytes: number,
): Promise<Handling> => {
  try {
    const target = await lookup(host);
    const socket = createSocket(target.family === 6 ? 'udp6' : 'udp4');
    try {
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject);
        socket.send(data, port, target.address, (error) => (error ? reject(error) : resolve()));
      });
    } finally {
      socket.close();
    }
    return { outcome: 'handled', why: `${address}: ${bytes} bytes sent` };
  } catch (error) {
    return socketFailure(error, address);
  }
};

const bounded = (
  sending: Promise<Handling>,
  address: string,
  seconds: number,
  signal: AbortSignal | undefined,
): Promise<Handling> =>
  signal?.aborted === true
    ? Promise.resolve(socketAborted(address))
    : within(sending, seconds * 1000, () => socketTimeout(address, seconds));
