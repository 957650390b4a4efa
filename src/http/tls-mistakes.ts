// Detects callers that use TLS on a plain port or the other way round. Node closes such connections silently; here
// the log contains the caller and the correct URL, at most once a minute per caller.
import type { Socket } from 'node:net';
import type { Log } from './log.ts';
import { createReminder } from './reminder.ts';

/** The first byte of a TLS handshake. */
const tlsHandshake = 0x16;

export interface TlsMistakes {
  /** A TLS handshake failed. */
  tls(error: NodeJS.ErrnoException, socket: Pick<Socket, 'remoteAddress'>): void;
  /** Invalid HTTP on a port without TLS. */
  plain(error: NodeJS.ErrnoException, socket: Pick<Socket, 'remoteAddress'>): void;
}

/** `schemes`: without and with TLS, e.g. `ws` and `wss`. */
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
          `a client uses plain HTTP on a port with TLS: it must use ${tls}:// instead of ${plain}://`,
        );
      else if (
        error.code === 'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA' ||
        error.code === 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN'
      )
        tell(
          socket,
          'a client does not trust the certificate of this backend: configure its authority on the client (--trusted-ca-file)',
        );
    },
    plain(error, socket) {
      const { rawPacket } = error as { rawPacket?: Buffer };
      if (rawPacket?.[0] === tlsHandshake)
        tell(
          socket,
          `a client uses TLS on a port without TLS: it must use ${plain}:// instead of ${tls}://, or this backend needs a certificate (--cert-file, --key-file)`,
        );
    },
  };
};
