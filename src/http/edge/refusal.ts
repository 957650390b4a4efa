// Rejects a handshake, on a raw socket or with an ordinary response.
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { sendAndClose } from '../close-connection.ts';
import type { Refused } from './handshake.ts';

const headersOf = ({ retryAfterSeconds }: Refused): Record<string, string> => ({
  'Content-Type': 'text/plain; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
  ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
});

const bodyOf = ({ message }: Refused): string => `${message}\n`;

/** Answers an upgrade request and closes the connection. */
export const refuseUpgrade = (socket: Duplex, refused: Refused): void => {
  const headers = {
    ...headersOf(refused),
    'Content-Length': String(Buffer.byteLength(bodyOf(refused))),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const status = `HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status] ?? ''}`;
  sendAndClose(socket, [status, ...lines, '', bodyOf(refused)].join('\r\n'));
};

export const refuseRequest = (response: ServerResponse, refused: Refused): void => {
  response.writeHead(refused.status, headersOf(refused));
  response.end(bodyOf(refused));
};
