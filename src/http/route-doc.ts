// The documentation of a route, from which the OpenAPI document is generated together with the zod schemas.
// Statuses implied by access and method (401, 403, 404, 500, 503...) are added automatically.
import type { z } from 'zod';
import type { Operation, ResourceKind } from '../model/resource/resource-kind.ts';

/** The shape of a body. */
export type Shape =
  | { readonly type: 'one' | 'list'; readonly kind: ResourceKind }
  | { readonly type: 'json'; readonly schema: z.ZodType; readonly example: unknown }
  | { readonly type: 'text'; readonly example: string; readonly mediaType?: string };

export type HeaderName = 'ETag' | 'Mon-Continue' | 'Location' | 'Retry-After' | 'Warning';

export interface AnswerDoc {
  readonly what: string;
  /** Absent means an empty body. */
  readonly shape?: Shape;
  readonly headers?: readonly HeaderName[];
}

export interface BodyDoc {
  readonly shape: Shape;
  readonly optional?: boolean;
  /** A merge patch (RFC 7396). */
  readonly mergePatch?: boolean;
}

export interface RouteDoc {
  readonly tag: string;
  readonly summary: string;
  /** `list` stands for limit, continue and the two selectors. Otherwise: name to description. */
  readonly query?: 'list' | Readonly<Record<string, string>>;
  readonly body?: BodyDoc;
  readonly answers: Readonly<Record<number, AnswerDoc>>;
  /** Additional error statuses of this route. */
  readonly refusals?: readonly number[];
  /** Errors are plain text, as clients of the reference product expect. */
  readonly plainRefusals?: boolean;
  /** Uses Basic authentication instead of a token. */
  readonly basicLogin?: boolean;
}

export const one = (kind: ResourceKind): Shape => ({ type: 'one', kind });
export const listOf = (kind: ResourceKind): Shape => ({ type: 'list', kind });
export const json = (schema: z.ZodType, example: unknown): Shape => ({ type: 'json', schema, example });

export const createdAnswer: Readonly<Record<number, AnswerDoc>> = {
  201: { what: 'written; empty body', headers: ['Warning'] },
};
/** The response contains the ETag of the written state. */
const createdWithTag = { 201: { what: 'written; empty body', headers: ['ETag', 'Warning'] } } as const;
export const removedAnswer: Readonly<Record<number, AnswerDoc>> = { 204: { what: 'done; empty body' } };

const nouns: Readonly<Record<string, string>> = {
  apikeys: 'API key',
  authproviders: 'authentication provider',
  providers: 'secrets provider',
  silenced: 'silence',
};

/** The noun for one resource of a kind: `check`, `role binding`. */
const nounOf = ({ path, type }: ResourceKind): string =>
  nouns[path] ??
  type
    .replace(/Config$/, '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();

const article = (noun: string): string => (/^([aei]|user-)/i.test(noun) ? `an ${noun}` : `a ${noun}`);

/** The descriptions of the generic routes of a kind. `putAnswer`: if a replace does not return 201. */
export const resourceDocs = (
  kind: ResourceKind,
  putAnswer: RouteDoc['answers'] = createdWithTag,
): Readonly<Record<Operation, RouteDoc>> => {
  const tag = kind.path;
  const noun = nounOf(kind);
  const list = {
    200: { what: `the ${kind.path}, sorted by name`, shape: listOf(kind), headers: ['Mon-Continue'] },
  } as const;
  const found = { 200: { what: `the ${noun}`, shape: one(kind), headers: ['ETag'] } } as const;
  const body = { shape: one(kind) };
  return {
    list: {
      tag,
      summary: `List ${kind.path}${kind.namespaced ? ' of a namespace' : ''}`,
      query: 'list',
      answers: list,
    },
    listAll: { tag, summary: `List ${kind.path} of all namespaces`, query: 'list', answers: list },
    create: { tag, summary: `Create ${article(noun)}`, body, answers: createdWithTag, refusals: [404, 409] },
    get: { tag, summary: `Read ${article(noun)}`, answers: found },
    put: { tag, summary: `Create or replace ${article(noun)}`, body, answers: putAnswer, refusals: [412] },
    patch: {
      tag,
      summary: `Change some fields of ${article(noun)}`,
      body: { ...body, mergePatch: true },
      answers: found,
      refusals: [409, 412],
    },
    delete: { tag, summary: `Delete ${article(noun)}`, answers: removedAnswer, refusals: [409, 412] },
  };
};
