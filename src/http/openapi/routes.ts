// Where the document and its page are served: to anybody, also during start-up. Both are made once.
import { z } from 'zod';
import { ok, plainText, type Route } from '../route.ts';
import { json, type RouteDoc } from '../route-doc.ts';
import { docsPage, docsPolicy } from './docs-page.ts';
import { openApiDocument, type RouteDescription } from './document.ts';

const tag = 'documentation';

const documentDoc: RouteDoc = {
  tag,
  summary: 'This document: OpenAPI 3.1',
  answers: {
    200: { what: 'the document', shape: json(z.looseObject({ openapi: z.string() }), { openapi: '3.1.0' }) },
  },
};

const pageDoc: RouteDoc = {
  tag,
  summary: 'This document as a page to read',
  answers: {
    200: { what: 'the page', shape: { type: 'text', mediaType: 'text/html', example: '<!doctype html>' } },
  },
};

/** The routes given, and two more that describe them all, and those served beside them. */
export const withOpenApi = (
  routes: readonly Route[],
  beside: readonly RouteDescription[],
  version: string,
): readonly Route[] => {
  const document = () => made;
  const all: readonly Route[] = [
    ...routes,
    { method: 'GET', url: '/openapi.json', access: 'public', doc: documentDoc, handle: () => ok(document()) },
    {
      method: 'GET',
      url: '/docs',
      access: 'public',
      doc: pageDoc,
      handle: () =>
        plainText(200, page, {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': docsPolicy,
          'X-Content-Type-Options': 'nosniff',
        }),
    },
  ];
  const made = openApiDocument([...all, ...beside], version);
  const page = docsPage(made);
  return all;
};
