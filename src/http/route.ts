// Routes as data: what is served, who may call it, and a function from call to answer. The server turns them into
// Fastify routes; the access test walks through them cell by cell.
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { etagOf } from '../model/etag.ts';
import type { Principal } from './auth/principal.ts';
import type { Verb } from './rbac.ts';
import type { RouteDoc } from './route-doc.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Parameters = Readonly<Record<string, string | undefined>>;

export interface AccessRule {
  /** Null: only a rule on `*` reaches it. */
  readonly resource: string | null;
  /** Empty, or absent, for collections. */
  readonly name?: (parameters: Parameters) => string;
  /** Where it does not follow from the method. */
  readonly verb?: Verb;
  /** Users may do this to themselves with a rule on `localselfuser`. */
  readonly selfParameter?: string;
}

/** `public`: anybody, also during start-up. `open`: anybody, but not during start-up. `login`: who has logged in. */
export type Access = 'public' | 'open' | 'login' | AccessRule;

export interface Call {
  readonly method: Method;
  readonly parameters: Parameters;
  readonly query: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Parsed JSON, undefined when there was no body. */
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  /** The path as it was asked for, without the query. */
  readonly path: string;
  readonly address: string;
  /** `<scheme>://<host>`, as the caller sees us. */
  readonly origin: string;
}

export interface AuthenticatedCall extends Call {
  readonly principal: Principal;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, a string as it is; absent means an empty body. */
  readonly body?: object | string | Readable;
  /** Told in `Warning` headers: what was done, but not as the caller may expect. */
  readonly warnings?: readonly string[];
}

interface RouteBase {
  readonly method: Method;
  /** Fastify's pattern: `/api/core/v2/namespaces/:namespace/checks/:name`. */
  readonly url: string;
  /** A route that says nothing about itself does not compile. */
  readonly doc: RouteDoc;
}

export interface OpenRoute extends RouteBase {
  readonly access: 'public' | 'open';
  readonly handle: (call: Call) => Answer | Promise<Answer>;
}

export interface GuardedRoute extends RouteBase {
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

/** The verb a route asks for: reading a collection is `list`. */
export const verbOf = (method: Method, rule: AccessRule): Verb =>
  rule.verb ?? (method === 'GET' && rule.name === undefined ? 'list' : verbs[method]);

export const ok = (body: object, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  body,
  headers,
});
/** For answers that hold what opens the API: no cache keeps them. */
export const notStored = { 'Cache-Control': 'no-store' } as const;
/** One resource, with the tag that conditional requests name. */
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

/** A path parameter that the pattern guarantees. */
export const parameter = (call: Call, name: string): string => call.parameters[name] ?? '';
