// Serves the OpenAPI document and its page without login, also during startup. Both are generated on first read and
// cached as bytes, so that startup does not wait for them and anonymous requests are cheap.
import { z } from 'zod';
import { etagOf } from '../../model/resource/etag.ts';
import type { Answer, Route } from '../route.ts';
import { json, type RouteDoc } from '../route-doc.ts';
import { docsPage, docsPolicy } from './docs-page.ts';
import { openApiDocument, type RouteDescription } from './document.ts';

const tag = 'documentation';

const documentDoc: RouteDoc = {
  tag,
  summary: 'The OpenAPI 3.1 document',
  answers: {
    200: {
      what: 'the document',
      shape: json(z.looseObject({ openapi: z.string() }), { openapi: '3.1.0' }),
      headers: ['ETag'],
    },
  },
};

const pageDoc: RouteDoc = {
  tag,
  summary: 'The documentation page',
  answers: {
    200: {
      what: 'the page',
      shape: { type: 'text', mediaType: 'text/html', example: '<!doctype html>' },
      headers: ['ETag'],
    },
  },
};

const made = (type: string, text: string, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status: 200,
  body: Buffer.from(text),
  headers: { 'Content-Type': type, ETag: etagOf(text), ...headers },
});

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** Adds two routes for the documentation of the given routes and of those served outside the table. */
export const withOpenApi = (
  routes: readonly Route[],
  beside: readonly RouteDescription[],
  version: string,
): readonly Route[] => {
  const all: readonly Route[] = [
    ...routes,
    {
      method: 'GET',
      url: '/openapi.json',
      access: 'public',
      doc: documentDoc,
      handle: () => documentAnswer(),
    },
    {
      method: 'GET',
      url: '/docs/api',
      access: 'public',
      doc: pageDoc,
      handle: () => pageAnswer(),
    },
  ];
  const document = once(() => openApiDocument([...all, ...beside], version));
  const documentAnswer = once(() => made('application/json; charset=utf-8', JSON.stringify(document())));
  const pageAnswer = once(() =>
    made('text/html; charset=utf-8', docsPage(document()), {
      'Content-Security-Policy': docsPolicy,
      'X-Content-Type-Options': 'nosniff',
    }),
  );
  return all;
};
