// Parses request bodies to plain objects.
import { MonError } from '../model/errors.ts';
import { parseGuarded } from '../model/schema/guarded-json.ts';

export type JsonObject = Record<string, unknown>;

/** Bodies are parsed as JSON regardless of the Content-Type. An empty body is undefined. Throws MonError `invalid`. */
export const parseBody = (bytes: Buffer, maxBytes: number): unknown => {
  if (bytes.byteLength === 0) return undefined;
  const parsed = parseGuarded(bytes, { maxBytes });
  if (!parsed.ok) throw new MonError(parsed.why === 'tooLarge' ? 'tooLarge' : 'invalid', parsed.message);
  return parsed.value;
};

/** The body as a new object that the caller may modify. Throws MonError `invalid`. */
export const objectBody = (body: unknown): JsonObject => {
  if (body === undefined) throw new MonError('invalid', 'the body is empty; send a JSON object');
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new MonError('invalid', 'the body must be a JSON object');
  return body as JsonObject;
};
