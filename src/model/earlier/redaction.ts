// Redaction in the earlier generation: hides a value if its key exactly matches a listed key, case-sensitive, at
// any depth. `src/model/resource/redaction.ts` compares loosely instead.
import { defaultRedact } from '../resource/redaction.ts';
import { isMap, type Json } from './json.ts';

/** The nine documented keys and those the reference product added later. */
const defaultRedactKeys: readonly string[] = [
  ...defaultRedact,
  'routing_key',
  'access_token_read',
  'access_token_write',
  'access_token_path',
  'webhook_url',
  'nickserv_password',
  'channel_password',
  'community',
  'keystore_password',
  'truststore_password',
  'proxy_password',
  'access_key_id',
  'secret_access_key',
];

const hidden = 'REDACTED';

/** A copy with the values of these keys hidden, including maps and arrays. */
export const redact = (value: unknown, keys: readonly string[] = defaultRedactKeys): unknown => {
  if (Array.isArray(value)) return value.map((item) => redact(item, keys));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, keys.includes(key) ? hidden : redact(inner, keys)]),
  );
};

/** The redact list of a client. Its own list replaces the default; one that is not a list of strings only adds to it. */
const redactKeysOf = ({ redact: own }: Json): readonly string[] => {
  if (!Array.isArray(own)) return defaultRedactKeys;
  const keys = own.filter((key) => typeof key === 'string');
  return keys.length === own.length ? keys : [...defaultRedactKeys, ...keys];
};

export const redactClient = (client: Json): Json => redact(client, redactKeysOf(client)) as Json;
