// Closes connections outside a normal response, so that a client which keeps its side open can't hold one.
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Server as TlsServer } from 'node:tls';

/** Sends a last text and closes the connection once it is written, whatever the client does. */
export const sendAndClose = (socket: Duplex, text: string): void => {
  socket.once('finish', () => socket.destroy());
  socket.end(text);
};

/** Answers what is not HTTP, or did not arrive in time, and closes the connection. */
export const closeInvalid = (socket: Duplex, error: NodeJS.ErrnoException, response: string): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else sendAndClose(socket, response);
};

export interface Handshakes {
  /** Closes connections whose handshake is under way: Node's `closeAllConnections` does not know them yet. */
  closePending(): void;
}

const peerOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;

/**
 * Closes connections whose TLS handshake failed or took too long. Node does so only on servers without a listener for
 * `clientError`; a response can't be written to them, so ending them would wait forever.
 */
export const watchHandshakes = (
  server: Server,
  onFailed: (error: NodeJS.ErrnoException, socket: Socket) => void,
): Handshakes => {
  const pending = new Map<string, Socket>();
  if (server instanceof TlsServer) {
    server.on('connection', (socket) => {
      const peer = peerOf(socket);
      pending.set(peer, socket);
      socket.once('close', () => pending.delete(peer));
    });
    server.on('secureConnection', (socket) => pending.delete(peerOf(socket)));
    server.on('tlsClientError', (error, socket) => {
      onFailed(error, socket);
      socket.destroy();
    });
  }
  return {
    closePending: () => {
      for (const socket of [...pending.values()]) socket.destroy();
    },
  };
};
