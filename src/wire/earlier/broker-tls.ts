// TLS options for brokers from a client configuration: the broker's authority and our certificate. Files are read
// for every connection, so that renewed ones need no restart.
import { readFileSync } from 'node:fs';
import { isMap } from '../../model/earlier/json.ts';

export interface BrokerTls {
  /** Authorities (PEM) for the broker's certificate; absent: those of the system. */
  readonly ca?: Buffer;
  /** Our client certificate and key (PEM). */
  readonly cert?: Buffer;
  readonly key?: Buffer;
  readonly rejectUnauthorized: boolean;
}

const fileOf = (scope: unknown, key: string): Buffer | undefined => {
  const path = isMap(scope) ? scope[key] : undefined;
  return typeof path === 'string' && path !== '' ? readFileSync(path) : undefined;
};

/**
 * Reads the scope `ssl` or `tls`: `cert_chain_file`, `private_key_file`, `ca_file` and `verify_peer`. The reference
 * product verifies brokers only with `verify_peer`; here, `ca_file` enables verification as well. Throws if a file
 * cannot be read.
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
