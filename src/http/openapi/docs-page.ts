// `/docs/api`: the API documentation as a page. Plain HTML with an inline style sheet, no external resources and no
// scripts, so it works offline.
import { createHash } from 'node:crypto';
import type { OpenApiDocument } from './document.ts';

type Json = Record<string, unknown>;

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escapeHtml = (text: unknown): string => String(text).replace(/[&<>"]/g, (sign) => escapes[sign] ?? '');

const style = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h2{margin-top:2.5rem;border-bottom:1px solid var(--line)}
nav a{margin-right:.8rem}
details{border:1px solid var(--line);border-radius:6px;margin:.4rem 0;padding:.3rem .7rem}
summary{cursor:pointer}
code,pre{font:13px/1.45 ui-monospace,monospace}
pre{overflow:auto;border-left:3px solid var(--line);padding-left:.8rem}
table{border-collapse:collapse}td,th{text-align:left;padding:.15rem 1rem .15rem 0;vertical-align:top}
.method{display:inline-block;min-width:4.2rem;font-weight:600}
`;

/** Allows only the inline style above. */
export const docsPolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const exampleIn = (content: unknown): string => {
  const [media] = Object.entries((content ?? {}) as Record<string, Json>);
  if (media === undefined || media[1].example === undefined) return '';
  const { example } = media[1];
  const shown = typeof example === 'string' ? example : JSON.stringify(example, null, 2);
  return `<p>${escapeHtml(media[0])}</p><pre>${escapeHtml(shown)}</pre>`;
};

const rowsOf = (title: string, rows: readonly (readonly [string, string])[]): string =>
  rows.length === 0
    ? ''
    : `<h4>${title}</h4><table>${rows
        .map(
          ([name, text]) => `<tr><th><code>${escapeHtml(name)}</code></th><td>${escapeHtml(text)}</td></tr>`,
        )
        .join('')}</table>`;

const operationHtml = (path: string, method: string, operation: Json): string => {
  const parameters = (operation.parameters ?? []) as readonly {
    name: string;
    in: string;
    description?: string;
  }[];
  const answers = Object.entries(operation.responses as Record<string, Json>);
  const body = (operation.requestBody as Json | undefined)?.content;
  const good = answers.find(([status]) => status.startsWith('2'))?.[1];
  return `<details><summary><span class="method">${method.toUpperCase()}</span> <code>${escapeHtml(path)}</code> ${escapeHtml(operation.summary)}</summary>${rowsOf(
    'Parameters',
    parameters.map(({ name, in: where, description }) => [name, description ?? `in the ${where}`] as const),
  )}${body === undefined ? '' : `<h4>Body</h4>${exampleIn(body)}`}${rowsOf(
    'Answers',
    answers.map(([status, answer]) => [status, String(answer.description)] as const),
  )}${exampleIn(good?.content)}</details>`;
};

export const docsPage = (document: OpenApiDocument): string => {
  const tags = document.tags as readonly { name: string; description?: string }[];
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const { version } = document.info as { version: string };
  const sections = tags.map(({ name, description = '' }) => {
    const mine = operations.filter(({ operation }) => (operation.tags as readonly string[]).includes(name));
    const listed = mine.map(({ path, method, operation }) => operationHtml(path, method, operation));
    return `<h2 id="${escapeHtml(name)}">${escapeHtml(name)}</h2><p>${escapeHtml(description)}</p>${listed.join('')}`;
  });
  const links = tags.map(({ name }) => `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`);
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>mon: HTTP API</title><style>${style}</style></head><body><h1>mon: HTTP API</h1><p>Version ${escapeHtml(version)}. The same for programs: <a href="/openapi.json">openapi.json</a>. Log in with <code>GET /auth</code> and send <code>Authorization: Bearer &lt;token&gt;</code>, or make an API key and send <code>Authorization: Key &lt;key&gt;</code>.</p><nav>${links.join('')}</nav>${sections.join('')}</body></html>`;
};
