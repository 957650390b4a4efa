// The type of a route of the earlier API, with its request and response.
import type { Backend } from '../../actors/backend.ts';
import type { Json } from '../../model/earlier/json.ts';
import { MonError } from '../../model/errors.ts';
import type { SilencingLimits } from '../routes/silenced.ts';

export type EarlierBackend = Pick<
  Backend,
  | 'clients'
  | 'events'
  | 'resources'
  | 'readEvents'
  | 'readEvent'
  | 'deleteEvent'
  | 'deleteClient'
  | 'acceptEvent'
  | 'executeCheck'
  | 'isReady'
  | 'health'
>;

export interface Ask {
  readonly backend: EarlierBackend;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** An empty object if there was no body. */
  readonly body: Json;
  readonly nowMs: number;
  readonly version: string;
  readonly username: string;
  readonly silencing: SilencingLimits;
}

export interface Answer {
  readonly code: number;
  /** Absent means no body; errors have none. */
  readonly body?: unknown;
}

/** Required permissions in namespace `default`; empty means that authentication is sufficient. */
export type Access = readonly { readonly verb: string; readonly resource: string }[];
/** One permission on one resource kind. */
export const may = (verb: string, resource: string): Access => [{ verb, resource }];

export interface EarlierRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path segments: `:name` matches one segment of letters, digits and `_ . - : |`; `*name` matches the rest. */
  readonly path: string;
  readonly access: Access;
  readonly handle: (ask: Ask) => Promise<Answer> | Answer;
}

export const notFound: Answer = { code: 404 };
export const noContent: Answer = { code: 204 };
export const found = (body: unknown): Answer => (body === undefined ? notFound : { code: 200, body });
export const accepted = ({ nowMs }: Ask, code = 202): Answer => ({
  code,
  body: { issued: Math.floor(nowMs / 1000) },
});
export const invalid = (message: string): MonError => new MonError('invalid', message);

export const text = (body: Json, key: string): string => {
  const value = body[key];
  if (typeof value !== 'string') throw invalid(`${key} must be a string`);
  return value;
};
