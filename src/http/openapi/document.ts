// The OpenAPI 3.1 document, generated from the route table and the zod schemas used for validation, so it always
// matches the backend.
import { z } from 'zod';
import { errorCatalogue } from '../../model/errors.ts';
import type { ResourceKind } from '../../model/resource/resource-kind.ts';
import type { AccessRule, Route } from '../route.ts';
import type { AnswerDoc, BodyDoc, HeaderName, RouteDoc, Shape } from '../route-doc.ts';
import { examples } from './examples.ts';

type Json = Record<string, unknown>;

export interface OpenApiDocument extends Json {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Json>>>>;
  readonly components: Readonly<Record<string, Json>>;
}

/** A documented route; some are served outside the route table. */
export interface RouteDescription extends Pick<Route, 'method' | 'url' | 'doc'> {
  readonly access: Exclude<Route['access'], AccessRule> | Pick<AccessRule, 'resource'>;
}

/** The JSON Schema of a zod schema for requests. Fields that are read back as null are nullable. */
const schemaOf = (schema: z.ZodType): Json => {
  const { $schema: _draft, ...found } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => {
      if (jsonSchema.default === null && typeof jsonSchema.type === 'string')
        Object.assign(jsonSchema, { type: [jsonSchema.type, 'null'] });
    },
  });
  return found as Json;
};

const reference = (kind: ResourceKind): Json => ({ $ref: `#/components/schemas/${kind.path}` });

const contentOf = (shape: Shape): Json => {
  switch (shape.type) {
    case 'one':
      return { 'application/json': { schema: reference(shape.kind), example: examples[shape.kind.path] } };
    case 'list':
      return {
        'application/json': {
          schema: { type: 'array', items: reference(shape.kind) },
          example: [examples[shape.kind.path]],
        },
      };
    case 'json':
      return { 'application/json': { schema: schemaOf(shape.schema), example: shape.example } };
    case 'text':
      return {
        [shape.mediaType ?? 'text/plain']: { schema: { type: 'string' }, example: shape.example },
      };
  }
};

const headers: Readonly<Record<HeaderName, Json>> = {
  ETag: { description: 'identifies this state of the resource, for If-Match and If-None-Match' },
  'Mon-Continue': {
    description: 'token of the next page; absent on the last page (also sent as `Sensu-Continue`)',
  },
  Location: { description: 'path of the created resource' },
  'Retry-After': { description: 'seconds to wait before retrying' },
  Warning: {
    description:
      'one value `299 mon "..."` per unknown field and per configuration problem (RFC 7234, section 5.5)',
  },
};

const headersOf = (names: readonly HeaderName[]): Json =>
  Object.fromEntries(names.map((name) => [name, { ...headers[name], schema: { type: 'string' } }]));

const answerOf = ({ what, shape, headers: names }: AnswerDoc): Json => ({
  description: what,
  ...(names === undefined ? {} : { headers: headersOf(names) }),
  ...(shape === undefined ? {} : { content: contentOf(shape) }),
});

/** Descriptions of error statuses. 409 and 503 have several. */
const refusalTexts: ReadonlyMap<number, { readonly code: number; readonly message: string }> = new Map(
  Object.values(errorCatalogue).map(({ status, code, message }) => [status, { code, message }]),
);

const refusalOf = (status: number, plain: boolean): Json => {
  const found = refusalTexts.get(status) ?? { code: 0, message: 'refused' };
  const content = plain
    ? { 'text/plain': { schema: { type: 'string' } } }
    : { 'application/json': { schema: { $ref: '#/components/schemas/Problem' }, example: found } };
  return {
    description: found.message,
    content,
    ...(status === 429 || status === 503 ? { headers: headersOf(['Retry-After']) } : {}),
  };
};

const isRule = (access: RouteDescription['access']): boolean => typeof access === 'object';

/** The statuses implied by access, method and URL. */
const impliedRefusals = ({ access, method, url, doc }: RouteDescription): readonly number[] => {
  if (access === 'public') return [500];
  const changes = method !== 'GET';
  return [
    ...(changes || url.includes(':') || doc.query !== undefined ? [400] : []),
    ...(access === 'open' ? [] : [401]),
    ...(isRule(access) ? [403] : []),
    ...(url.includes(':') ? [404] : []),
    ...(changes && method !== 'DELETE' ? [413] : []),
    500,
    503,
    ...(changes ? [507] : []),
  ];
};

const listQuery: Readonly<Record<string, string>> = {
  limit: 'items per page; without it the whole list is returned',
  continue: 'token of the previous page',
  fieldSelector: "selects items by field, e.g. `check.publish == true && 'linux' in check.subscriptions`",
  labelSelector: "selects items by label, e.g. `region == 'eu'`",
};

const writeQuery: Readonly<Record<string, string>> = {
  strict:
    '`true` rejects unknown fields and suggests the nearest known name (also the header `Mon-Strict`); otherwise they are ignored and reported in `Warning` headers',
};

const parametersOf = ({ url, doc }: RouteDescription): readonly Json[] => {
  const asked = doc.query === 'list' ? listQuery : (doc.query ?? {});
  const query = doc.body?.shape.type === 'one' ? { ...asked, ...writeQuery } : asked;
  return [
    ...[...url.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...Object.entries(query).map(([name, description]) => ({
      name,
      in: 'query',
      description,
      schema: { type: 'string' },
    })),
  ];
};

const bodyOf = ({ shape, optional, mergePatch }: BodyDoc): Json => {
  const content = contentOf(shape);
  const patch = { schema: { type: 'object' }, example: { metadata: { labels: { team: 'web' } } } };
  return {
    required: optional !== true,
    content: mergePatch === true ? { 'application/merge-patch+json': patch } : content,
  };
};

const securityOf = ({ access, doc }: RouteDescription): readonly Json[] => {
  if (doc.basicLogin === true) return [{ password: [] }];
  return access === 'public' || access === 'open' ? [] : [{ token: [] }, { apiKey: [] }];
};

/** `GET /a/:b/c` is named `getABC`. */
const operationId = ({ method, url }: RouteDescription): string =>
  method.toLowerCase() +
  url
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

const notModified: AnswerDoc = {
  what: 'not changed since the version in If-None-Match; empty body',
  headers: ['ETag'],
};

const responsesOf = (route: RouteDescription): Json => {
  const { answers, refusals = [], plainRefusals = false } = route.doc;
  const refused = new Set([...impliedRefusals(route), ...refusals]);
  const isTagged = route.method === 'GET' && answers[200]?.headers?.includes('ETag') === true;
  const all = [
    ...(isTagged ? [['304', answerOf(notModified)] as const] : []),
    ...Object.entries(answers).map(([status, answer]) => [status, answerOf(answer)] as const),
    ...[...refused].map((status) => [String(status), refusalOf(status, plainRefusals)] as const),
  ];
  return Object.fromEntries(all.sort(([a], [b]) => Number(a) - Number(b)));
};

const operationOf = (route: RouteDescription): Json => {
  const { doc } = route;
  const parameters = parametersOf(route);
  return {
    operationId: operationId(route),
    tags: [doc.tag],
    summary: doc.summary,
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(doc.body === undefined ? {} : { requestBody: bodyOf(doc.body) }),
    responses: responsesOf(route),
  };
};

const kindsIn = (docs: readonly RouteDoc[]): readonly ResourceKind[] => {
  const shapes = docs.flatMap(({ body, answers }) => [
    ...(body === undefined ? [] : [body.shape]),
    ...Object.values(answers).flatMap(({ shape }) => (shape === undefined ? [] : [shape])),
  ]);
  return [...new Set(shapes.flatMap((shape) => ('kind' in shape ? [shape.kind] : [])))];
};

const problemSchema: Json = {
  type: 'object',
  required: ['message', 'code'],
  properties: {
    message: { type: 'string', description: 'what is wrong, where, and what to do' },
    code: { type: 'integer', description: 'error code, see the status' },
  },
};

const securitySchemes: Json = {
  token: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'from `GET /auth`' },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: '`Key <API key>`; create keys with `POST /api/core/v2/apikeys`',
  },
  password: { type: 'http', scheme: 'basic' },
};

/** `/a/:b` in OpenAPI form: `/a/{b}`. */
export const openApiPath = (url: string): string => url.replace(/:(\w+)/g, '{$1}');

export const openApiDocument = (routes: readonly RouteDescription[], version: string): OpenApiDocument => {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = openApiPath(route.url);
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  const kinds = kindsIn(routes.map(({ doc }) => doc));
  const summaries = new Map(kinds.map(({ path, summary }) => [path, summary]));
  const tags = [...new Set(routes.map(({ doc }) => doc.tag))];
  return {
    openapi: '3.1.0',
    info: { title: 'mon', version, description: 'The HTTP API of the mon backend.' },
    servers: [{ url: '/' }],
    tags: tags.map((name) => ({
      name,
      ...(summaries.has(name) ? { description: summaries.get(name) } : {}),
    })),
    paths,
    components: {
      schemas: {
        ...Object.fromEntries(kinds.map(({ path, schema }) => [path, schemaOf(schema)])),
        Problem: problemSchema,
      },
      securitySchemes,
    },
  };
};
