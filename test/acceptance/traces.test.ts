// The life of an event as OpenTelemetry traces: a real backend and agent's WebSocket, and a collector of our own that takes OTLP/JSON.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { eventually } from '../eventually.ts';
import { ApiClient, startAgent, startBackend, tempDir } from './programs.ts';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number; readonly boolValue?: boolean };
}
interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number; readonly message?: string };
}

const startCollector = async (t: TestContext) => {
  const spans: SentSpan[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const sent = JSON.parse(Buffer.concat(parts).toString());
    for (const resource of sent.resourceSpans)
      for (const scope of resource.scopeSpans) spans.push(...scope.spans);
    response.setHeader('Content-Type', 'application/json').end('{}');
  });
  t.after(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const attribute = (span: SentSpan, key: string): unknown => {
  const value = span.attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? value?.intValue ?? value?.boolValue;
};

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const callersSpan = '00f067aa0ba902b7';
const eventId = '3f0c8a52-1d0b-4f4e-9a51-6b7f2f6f0001';

const event = (check: string, id: string) => ({
  id,
  entity: { entity_class: 'proxy', metadata: { name: 'web-01', namespace: 'default' } },
  check: { metadata: { name: check, namespace: 'default' }, interval: 60, status: 2, handlers: ['write'] },
});

test('an event keeps the trace of its caller up to the commands of its handlers', async (t) => {
  const { spans, url } = await startCollector(t);
  await tempDir(async (dir) => {
    const file = join(dir, 'traceparents');
    const backend = await startBackend(join(dir, 'state'), ['--otlp-endpoint', url], {
      OTEL_BSP_SCHEDULE_DELAY: '100',
    });
    t.after(() => backend.program.kill('SIGKILL'));
    const api = await ApiClient.login(backend.api);
    const put = await api.call('PUT', '/api/core/v2/namespaces/default/handlers/write', {
      metadata: { name: 'write', namespace: 'default' },
      type: 'pipe',
      command: `cat > /dev/null; echo "$TRACEPARENT" >> ${file}; exit \${FAIL:-0}`,
    });
    assert.equal(put.status, 201);

    const post = async (body: object, headers: Record<string, string>) => {
      const answer = await api.call('POST', '/api/core/v2/namespaces/default/events', body, headers);
      assert.equal(answer.status, 201, await answer.text());
    };
    await post(event('disk', eventId), { traceparent: `00-${traceId}-${callersSpan}-01` });
    const named = (name: string) =>
      eventually(`the span ${name}`, () =>
        spans.find((span) => span.name === name && span.traceId === traceId),
      );
    const handler = await named('handler write');
    const delivery = await named('deliver event');
    const received = await named('receive event');
    const request = await named('POST /api/core/v2/namespaces/:namespace/events');

    assert.equal(request.parentSpanId, callersSpan);
    assert.equal(received.parentSpanId, request.spanId);
    assert.equal(delivery.parentSpanId, received.spanId);
    assert.equal(handler.parentSpanId, delivery.spanId);
    assert.equal(Number(attribute(request, 'http.response.status_code')), 201);
    assert.equal(attribute(received, 'mon.outcome'), 'done');
    assert.equal(attribute(received, 'mon.check'), 'disk');
    assert.equal(attribute(handler, 'mon.handler.outcome'), 'handled');
    assert.equal((await readFile(file, 'utf8')).trim(), `00-${traceId}-${handler.spanId}-01`);

    // A result of an agent has no caller: the id of the event is the id of its trace.
    const agent = await startAgent(backend, join(dir, 'agent'));
    t.after(() => agent.kill('SIGKILL'));
    const result = await eventually('a result of the agent', () =>
      spans.find((span) => span.name === 'receive event' && attribute(span, 'mon.source') === 'keepalive'),
    );
    assert.equal(result.traceId, String(attribute(result, 'mon.event.id')).replaceAll('-', ''));
    assert.equal(result.parentSpanId ?? '', '');
    await post(event('memory', '3f0c8a52-1d0b-4f4e-9a51-6b7f2f6f0002'), { traceparent: 'nonsense' });
    assert.equal((await backend.program.kill()).code, 0);
  });
});

test('the caller decides what is not recorded, and a collector that is away disturbs nobody', async (t) => {
  const { spans, url } = await startCollector(t);
  await tempDir(async (dir) => {
    const backend = await startBackend(join(dir, 'state'), [
      '--otlp-endpoint',
      `${url}/`,
      '--trace-ratio',
      '0',
    ]);
    t.after(() => backend.program.kill('SIGKILL'));
    const api = await ApiClient.login(backend.api);
    const read = (flags: string) =>
      api.call('GET', '/api/core/v2/namespaces', undefined, {
        traceparent: `00-${traceId}-${callersSpan}-${flags}`,
      });
    assert.equal((await read('00')).status, 200);
    assert.equal((await read('01')).status, 200);
    // What was recorded is sent before the program ends.
    assert.equal((await backend.program.kill()).code, 0);
    assert.deepEqual(
      spans.map(({ name }) => name),
      ['GET /api/core/v2/namespaces'],
    );

    const away = await startBackend(join(dir, 'state'), ['--otlp-endpoint', 'http://127.0.0.1:9'], {
      OTEL_BSP_SCHEDULE_DELAY: '50',
    });
    t.after(() => away.program.kill('SIGKILL'));
    await ApiClient.login(away.api);
    const complaint = await away.program.line('traces cannot be sent to the collector');
    assert.equal(complaint.endpoint, 'http://127.0.0.1:9/');
    assert.equal((await away.program.kill()).code, 0);
  });
});

test('an endpoint or a ratio that cannot work ends the start with words', async () => {
  await tempDir(async (dir) => {
    const refused = async (args: readonly string[], words: RegExp) =>
      assert.rejects(startBackend(join(dir, 'state'), args), words);
    await refused(['--otlp-endpoint', 'collector:4318'], /--otlp-endpoint: must be the base URL/);
    await refused(
      ['--otlp-endpoint', 'http://127.0.0.1:9', '--trace-ratio', '1.5'],
      /--trace-ratio: must be from 0 to 1/,
    );
  });
});
