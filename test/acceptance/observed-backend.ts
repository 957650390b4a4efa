// Everything that can be seen of a backend over its sockets, as plain data to compare: every GET of its own document, headers,
// figures, what its actors wait for.
import assert from 'node:assert/strict';
import { platformNamespace } from '../../src/actors/platform/platform-events.ts';
import { openApiPath } from '../../src/http/openapi/document.ts';
import { type ApiClient, type Backend, eventually } from './programs.ts';

export type Observed = Readonly<Record<string, unknown>>;

const skipped = ['/stream', '/metrics', '/docs', '/openapi.json', '/oidc/', '/auth', '/api/inspect/'];
const skippedHeaders = ['date', 'content-length', 'etag', 'connection', 'keep-alive', 'transfer-encoding'];
const durable = ['entity:', 'check:', 'silence:', 'schedule:', 'client:'];
/** Schedules wait again and again: what lasts is the phase. Divides every interval of the scenarios. */
export const phaseMs = 5_000;

interface Row {
  readonly id: string;
  readonly value: unknown;
}

interface Named {
  readonly name?: string;
  readonly username?: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
  readonly entity?: Named;
  readonly check?: Named;
}

export const observe = async (backend: Backend, api: ApiClient): Promise<Observed> => ({
  ...(await answers(backend, api)),
  ...(await figures(backend, api)),
  ...(await waits(api)),
});

const answers = async (backend: Backend, api: ApiClient): Promise<Observed> => {
  const document = (await (await fetch(`${backend.api}${openApiPath('/openapi.json')}`)).json()) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
  const seen: Record<string, unknown> = {};
  const headers: Record<string, unknown> = {};
  const look = async (path: string): Promise<unknown> => {
    const response = await api.call('GET', encodeURI(path));
    for (const [name, value] of response.headers)
      if (!skippedHeaders.includes(name)) headers[`${name} of ${path}`] = value;
    // The port is another one after every start.
    const text = (await response.text()).replaceAll(backend.api, '<api>');
    const body = withoutReports(parsed(text));
    seen[`GET ${path}`] = { status: response.status, body };
    return body;
  };
  const paths = Object.entries(document.paths)
    .filter(([path, methods]) => 'get' in methods && !skipped.some((part) => path.includes(part)))
    .map(([path]) => path.replace('{namespace}', 'default'));
  for (const path of paths.filter((path) => !path.includes('{'))) {
    const body = await look(path);
    if (!Array.isArray(body)) continue;
    for (const name of body.flatMap(nameOf))
      if (paths.includes(`${path}/{name}`)) await look(`${path}/${name}`);
      else if (path.endsWith('/events')) {
        await look(`${path}/${name}`);
        await look(`${path}/${name}/trace`);
      }
  }
  return { ...seen, headers };
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

/**
 * Problems of the configuration are reported when they have lasted for a while, which may be while two backends are compared:
 * neither the report nor its namespace is looked at. The restart property, which has a clock of its own, compares them.
 */
const isReport = (item: Named): boolean =>
  [item.name, item.metadata?.name, item.metadata?.namespace, item.entity?.metadata?.namespace].includes(
    platformNamespace,
  );

const withoutReports = (body: unknown): unknown =>
  Array.isArray(body) ? body.filter((item) => typeof item !== 'object' || !isReport(item)) : body;

const nameOf = (item: Named): readonly string[] => {
  const { entity, check } = item;
  if (entity !== undefined && check !== undefined)
    return [`${entity.metadata?.name}/${check.metadata?.name}`];
  const name = item.metadata?.name ?? item.username ?? item.name;
  return name === undefined ? [] : [name];
};

/** The metrics as they are now: the backend keeps an answer for a second, and CPU time tells two of them apart. */
export const freshMetrics = async (backend: Pick<Backend, 'api'>): Promise<string> => {
  const read = async (): Promise<string> => (await fetch(`${backend.api}/metrics`)).text();
  const stampOf = (text: string): string | undefined => /^process_cpu_seconds_total .*$/m.exec(text)?.[0];
  const kept = stampOf(await read());
  return eventually('metrics that are not kept ones', async () => {
    const text = await read();
    return stampOf(text) === kept ? undefined : text;
  });
};

const figures = async (backend: Backend, api: ApiClient): Promise<Observed> => {
  const text = await freshMetrics(backend);
  const reports = (await api.get<readonly Named[]>('/api/core/v2/events')).filter(isReport).length;
  const figure = (name: string): number => {
    const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1];
    assert.ok(value, `the metrics have no line of ${name}`);
    return Number(value);
  };
  // The entity that reports does not count towards the limit, and so not here; its events do.
  return {
    figures: { entities: figure('mon_backend_entities'), events: figure('mon_backend_events') - reports },
  };
};

/** When each wait ends, to the second. */
const waits = async (api: ApiClient): Promise<Observed> => {
  const seen: Record<string, unknown> = {};
  for (const prefix of durable) {
    const { items } = await api.get<{ items: readonly Row[] }>(
      `/api/inspect/v1/actors?limit=1000&prefix=${encodeURIComponent(prefix)}`,
    );
    for (const { id, value } of items) {
      if (id.startsWith(`${prefix}${platformNamespace}/`)) continue;
      const { deadlines } = await api.get<{ deadlines: readonly { name: string; atMs: number }[] }>(
        `/api/inspect/v1/actors/${encodeURIComponent(id)}`,
      );
      const isSchedule = id.startsWith('schedule:');
      seen[id] = {
        value,
        waits: deadlines.map(({ name, atMs }) =>
          isSchedule ? { name, phase: atMs % phaseMs } : { name, atMs },
        ),
      };
    }
  }
  return seen;
};
