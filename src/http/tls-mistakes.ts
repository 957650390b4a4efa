// Callers who mistake TLS for plain text or the other way round: Node ends their connection without a word. Here the log says
// who it was and which address is right; a caller that keeps trying is named once a minute.
import type { Socket } from 'node:net';
import type { Log } from './log.ts';
import { createReminder } from './reminder.ts';

/** The first byte of a TLS handshake. */
const tlsHandshake = 0x16;

export interface TlsMistakes {
  /** A connection to a port with TLS failed before it was made. */
  tls(error: NodeJS.ErrnoException, socket: Pick<Socket, 'remoteAddress'>): void;
  /** What came over a port without TLS was no HTTP. */
  plain(error: NodeJS.ErrnoException, socket: Pick<Socket, 'remoteAddress'>): void;
}

/** `schemes`: that of a plain address and that of one with TLS, e.g. `ws` and `wss`. */
export const watchTlsMistakes = (
  log: Pick<Log, 'warn'>,
  schemes: readonly [plain: string, tls: string],
  monotonicMs: () => number = () => performance.now(),
): TlsMistakes => {
  const isDue = createReminder(monotonicMs);
  const tell = ({ remoteAddress = 'unknown' }: Pick<Socket, 'remoteAddress'>, text: string): void => {
    if (isDue(remoteAddress)) log.warn({ address: remoteAddress }, text);
  };
  const [plain, tls] = schemes;
  return {
    tls(error, socket) {
      if (error.code === 'ERR_SSL_HTTP_REQUEST')
        tell(
          socket,
          `a caller speaks plain HTTP to a port with TLS: it must use ${tls}:// instead of ${plain}://`,
        );
      else if (
        error.code === 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA' ||
        error.code === 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN'
      )
        tell(
          socket,
          'a caller does not trust the certificate of this backend: it must be given its authority (--trusted-ca-file)',
        );
    },
    plain(error, socket) {
      const { rawPacket } = error as { rawPacket?: Buffer };
      if (rawPacket?.[0] === tlsHandshake)
        tell(
          socket,
          `a caller speaks TLS to a port without it: it must use ${plain}:// instead of ${tls}://, or this backend needs a certificate (--cert-file, --key-file)`,
        );
    },
  };
};
