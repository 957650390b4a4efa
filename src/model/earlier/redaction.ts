// Redaction of the earlier generation: a value is hidden when its key is exactly one of the listed ones, in its
// letter case, at any depth. Other than `src/model/redaction.ts`, which compares loosely.
import { defaultRedact } from '../redaction.ts';
import { isMap, type Json } from './json.ts';

/** The documented nine, and those the reference product added later. */
export const defaultRedactKeys: readonly string[] = [
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

/** A copy in which nobody can read what is under these keys, maps and arrays included. */
export const redact = (value: unknown, keys: readonly string[] = defaultRedactKeys): unknown => {
  if (Array.isArray(value)) return value.map((item) => redact(item, keys));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, keys.includes(key) ? hidden : redact(inner, keys)]),
  );
};

/** The list of a client: its own replaces the default one. */
export const redactKeysOf = (client: Json): readonly string[] =>
  Array.isArray(client['redact']) ? client['redact'].map(String) : defaultRedactKeys;

export const redactClient = (client: Json): Json => redact(client, redactKeysOf(client)) as Json;
