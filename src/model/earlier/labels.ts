// Attributes of the earlier generation as labels, which filters, selectors and tokens of today read.
import { isMap, type Json } from './json.ts';

/** More or longer ones stay in the annotation with all attributes. */
const maxLabels = 256;
const maxLabelCharacters = 1_024;
const maxLabelDepth = 8;

/** The label of the attribute `disk.warning`: tokens and expressions can name only such words. */
export const labelOf = (path: string): string => path.replaceAll(/[^A-Za-z0-9_]/g, '_');

const shown = (value: unknown): string =>
  Array.isArray(value) ? value.map(String).join(',') : String(value);

function* entriesOf(attributes: Json, prefix: string, depth: number): Generator<readonly [string, string]> {
  for (const [key, value] of Object.entries(attributes)) {
    const path = prefix === '' ? key : `${prefix}.${key}`;
    if (isMap(value)) {
      if (depth < maxLabelDepth) yield* entriesOf(value, path, depth + 1);
      continue;
    }
    if (value === null || value === undefined || (Array.isArray(value) && value.some(isMap))) continue;
    const text = shown(value);
    if (path.length <= maxLabelCharacters && text.length <= maxLabelCharacters) yield [labelOf(path), text];
  }
}

/** Attributes in objects get joined names, lists are joined by commas. */
export const labelsOf = (attributes: Json): Record<string, string> => {
  const labels: Record<string, string> = {};
  let count = 0;
  for (const [name, value] of entriesOf(attributes, '', 1)) {
    if (count === maxLabels) break;
    labels[name] = value;
    count += 1;
  }
  return labels;
};

const without = (attributes: Json, known: ReadonlySet<string>): Json =>
  Object.fromEntries(Object.entries(attributes).filter(([key]) => !known.has(key)));

const checkFields: ReadonlySet<string> = new Set([
  ...['name', 'command', 'extension', 'subscribers', 'standalone', 'publish', 'interval', 'cron', 'timeout'],
  ...['ttl', 'ttl_status', 'handle', 'handler', 'handlers', 'source', 'type', 'subdue', 'hooks', 'env'],
  ...['proxy_requests', 'low_flap_threshold', 'high_flap_threshold'],
]);

const clientFields: ReadonlySet<string> = new Set([
  ...['name', 'subscriptions', 'redact', 'keepalive', 'keepalives', 'deregister', 'deregistration', 'socket'],
  ...['http_socket', 'safe_mode', 'registration', 'signature', 'servicenow', 'puppet', 'chef', 'ec2'],
]);

/** What a check has besides the fields that the earlier server itself reads. */
export const ownOfCheck = (check: Json): Json => without(check, checkFields);
/** What a client has besides the settings of the client program. */
export const ownOfClient = (client: Json): Json => without(client, clientFields);
