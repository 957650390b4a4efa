// Routes as data: method and URL, access, and a handler function. The server registers them with Fastify; the
// access test iterates over them.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { etagOf } from '../model/resource/etag.ts';
import type { Principal } from './auth/principal.ts';
import type { Verb } from './rbac.ts';
import type { RouteDoc } from './route-doc.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Parameters = Readonly<Record<string, string | undefined>>;

export interface AccessRule {
  /** Null: requires a rule on `*`. */
  readonly resource: string | null;
  /** Empty or absent for collections. */
  readonly name?: (parameters: Parameters) => string;
  /** If it cannot be derived from the method. */
  readonly verb?: Verb;
  /** Users may do this to their own record with a rule on `localselfuser`. */
  readonly selfParameter?: string;
}

export interface Call {
  readonly method: Method;
  readonly parameters: Parameters;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON; undefined without a body. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** The requested path without the query. */
  readonly path: string;
  readonly address: string;
  /** `<scheme>://<host>` as seen by the caller. */
  readonly origin: string;
}

export interface AuthenticatedCall extends Call {
  readonly principal: Principal;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Objects are sent as JSON, strings unchanged; absent means an empty body. */
  readonly body?: object | string | Readable;
  /** Sent as `Warning` headers: the request succeeded, but maybe not as the caller expects. */
  readonly warnings?: readonly string[];
}

interface RouteBase {
  readonly method: Method;
  /** Fastify's pattern: `/api/core/v2/namespaces/:namespace/checks/:name`. */
  readonly url: string;
  /** Mandatory, so that every route is documented. */
  readonly doc: RouteDoc;
}

export interface OpenRoute extends RouteBase {
  /** No login. `public`: also during startup; `open`: not during startup. */
  readonly access: 'public' | 'open';
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

export interface GuardedRoute extends RouteBase {
  /** `login`: any authenticated user. */
  readonly access: 'login' | AccessRule;
  readonly handle: (call: AuthenticatedCall) => Answer | Promise<Answer>;
}

export type Route = OpenRoute | GuardedRoute;

const verbs: Readonly<Record<Method, Verb>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/** The verb a route requires; reading a collection is `list`. */
export const verbOf = (method: Method, rule: AccessRule): Verb =>
  rule.verb ?? (method === 'GET' && rule.name === undefined ? 'list' : verbs[method]);

export const ok = (body: object, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  body,
  headers,
});
/** For responses with credentials, which must not be cached. */
export const notStored = { 'Cache-Control': 'no-store' } as const;
/** One resource with its ETag. */
export const okWithTag = (body: object): Answer => ok(body, { ETag: etagOf(JSON.stringify(body)) });
export const created = (headers: Readonly<Record<string, string>> = {}): Answer => ({ status: 201, headers });
export const noContent: Answer = { status: 204 };
export const plainText = (
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): Answer => ({
  status,
  body: text,
  headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers },
});

/** A path parameter that the URL pattern guarantees. */
export const parameter = (call: Call, name: string): string => call.parameters[name] ?? '';
