// Checks and API keys of the fake backend: kept in a map, decoded and judged by the real kinds, so that the page meets
// the real sentences.
import type { FastifyInstance } from 'fastify';
import { MonError } from '../../src/model/errors.ts';
import { checkKind } from '../../src/model/kinds/watching.ts';
import { conditionsHold, etagOf } from '../../src/model/resource/etag.ts';

const root = '/api/core/v2/namespaces/default/checks';

/** The name of the API key of the list: the key itself. */
export const listedKey = '3f9c2a71-77aa-4b11-9d3e-0123456789ab';

export interface FakeResources {
  readonly checks: Map<string, Record<string, unknown>>;
}

export const addFakeResources = (app: FastifyInstance): FakeResources => {
  const checks = new Map<string, Record<string, unknown>>();
  const keep = (body: unknown): string => {
    const raw = body as { metadata?: object };
    const decoded = checkKind.decode({ ...raw, metadata: { ...raw.metadata, namespace: 'default' } });
    if (!decoded.ok) throw new MonError('invalid', decoded.message);
    const fault = checkKind.validate(decoded.value);
    if (fault !== null) throw new MonError('invalid', `resource is invalid: ${fault}`);
    const name = checkKind.name(decoded.value);
    checks.set(name, checkKind.toWire(decoded.value) as Record<string, unknown>);
    return name;
  };
  const find = (name: string): Record<string, unknown> => {
    const found = checks.get(name);
    if (found === undefined) throw new MonError('notFound');
    return found;
  };
  app.get(root, () => [...checks.values()]);
  app.post(root, (request, reply) => {
    keep(request.body);
    return reply.code(201).send('');
  });
  app.get<{ Params: { name: string } }>(`${root}/:name`, (request, reply) => {
    const found = find(request.params.name);
    return reply.header('etag', etagOf(JSON.stringify(found))).send(found);
  });
  app.put<{ Params: { name: string } }>(`${root}/:name`, (request, reply) => {
    const known = etagOf(JSON.stringify(find(request.params.name)));
    if (!conditionsHold({ ifMatch: request.headers['if-match'] }, known))
      throw new MonError('preconditionFailed', 'it is another one now');
    keep(request.body);
    return reply.code(201).send('');
  });
  app.delete<{ Params: { name: string } }>(`${root}/:name`, (request, reply) => {
    find(request.params.name);
    checks.delete(request.params.name);
    return reply.code(204).send();
  });
  app.get('/api/core/v2/apikeys', () => [
    { metadata: { name: listedKey, created_by: 'admin' }, username: 'ci', created_at: 1_700_000_000 },
  ]);
  app.post('/api/core/v2/apikeys', (_request, reply) =>
    reply.code(201).header('location', '/api/core/v2/apikeys/a-fresh-key').send(''),
  );
  return { checks };
};
