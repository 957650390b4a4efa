// TLS to a broker, as the configuration of a client says it: who the broker must be, and who we are. Files are read
// for every connection, so that renewed ones are taken without a restart.
import { readFileSync } from 'node:fs';
import { isMap } from '../../model/earlier/json.ts';

export interface BrokerTls {
  /** Authorities (PEM) the certificate of the broker must come from; absent: those of the system. */
  readonly ca?: Buffer;
  /** Our own certificate (PEM), and its key. */
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly rejectUnauthorized: boolean;
}

const fileOf = (scope: unknown, key: string): Buffer | undefined => {
  const path = isMap(scope) ? scope[key] : undefined;
  return typeof path === 'string' && path !== '' ? readFileSync(path) : undefined;
};

/**
 * The scope `ssl` or `tls`: `cert_chain_file`, `private_key_file`, `ca_file` and `verify_peer`. The reference product
 * believes any broker unless it is told to verify; here naming an authority is telling so too. Throws when a file cannot
 * be read.
 */
export const brokerTls = (scope: unknown): BrokerTls => {
  const [ca, cert, key] = ['ca_file', 'cert_chain_file', 'private_key_file'].map((file) =>
    fileOf(scope, file),
  );
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    rejectUnauthorized: !isMap(scope) || scope['verify_peer'] === true || ca !== undefined,
  };
};
