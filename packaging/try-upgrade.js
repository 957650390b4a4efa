// What an upgrade of the packages must keep, made with the older version and compared after the upgrade: events with histories, a
// silence, an acknowledged incident with a note, and events whose handler had not finished.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';

const state = '/var/lib/mon/mon-backend';
const entity = 'kept';
const pending = ['pending-0', 'pending-1', 'pending-2'];
const quiet = 'quiet';
const statuses = [0, 1, 2];

/** Waits until it may go on: until then its events are pending deliveries. */
const handler = {
  type: 'Handler',
  api_version: 'core/v2',
  metadata: { name: 'gate', namespace: 'default' },
  spec: {
    type: 'pipe',
    command: `while ! [ -e ${state}/open ]; do sleep 0.2; done; cat >> ${state}/gate.log; echo >> ${state}/gate.log`,
    filters: ['is_incident', 'not_silenced'],
    timeout: 600,
  },
};

const event = (name, status, more = {}) => ({
  type: 'Event',
  api_version: 'core/v2',
  metadata: { namespace: 'default' },
  spec: {
    entity: {
      metadata: { name: entity, namespace: 'default', labels: { site: 'a' } },
      entity_class: 'proxy',
    },
    check: {
      metadata: { name, namespace: 'default', annotations: { note: name } },
      status,
      output: `${name} is ${status}\nsecond line: ü`,
      interval: 60,
      ttl: 86_400,
      ...more,
    },
    metrics: { points: [{ name: 'load', value: status + 0.5, timestamp: 1_700_000_000, tags: [] }] },
  },
});

/** `tools`: what try-deb.js has of the machine. */
const create = ({ ctl, path }, name, documents) => {
  mkdirSync(path('root/made'), { recursive: true });
  writeFileSync(path(`root/made/${name}.json`), documents.map((each) => JSON.stringify(each)).join('\n'));
  ctl('create', '-f', `/root/made/${name}.json`);
};

const keptOf = ({ json }) => ({
  events: Object.fromEntries(
    json('event', 'list')
      .filter((each) => each.entity.metadata.name === entity)
      .map((each) => [each.check.metadata.name, each]),
  ),
  silences: json('silenced', 'list'),
  entity: json('entity', 'info', entity),
});

/** Makes everything. Resolves to what `assertKept` compares with. */
export const prepareUpgrade = async (tools, eventually) => {
  const { ctl, succeeds } = tools;
  const names = [...Array.from({ length: 50 }, (_, index) => `plain-${index}`), quiet];
  create(tools, 'handler', [handler]);
  ctl('silenced', 'create', '-c', quiet, '-r', 'a new disk', '-e', '86400');
  for (const status of statuses)
    create(
      tools,
      `events-${status}`,
      names.map((name) => event(name, status, name === quiet ? { handlers: ['gate'] } : {})),
    );
  ctl('event', 'ack', entity, 'plain-0', '-c', 'disk ordered', '--remind-every', '4h');
  ctl('event', 'note', entity, 'plain-0', 'the vendor was called');
  create(
    tools,
    'pending',
    pending.map((name) => event(name, 2, { handlers: ['gate'] })),
  );
  await eventually('a handler that waits', () => succeeds('pgrep', '-f', `${state}/gate.log`));
  return keptOf(tools);
};

/** Compares every field; then the handlers may go on, and the silence still holds. Returns a line that says what was compared. */
export const assertKept = async (tools, eventually, before) => {
  const { run, succeeds } = tools;
  const after = keptOf(tools);
  assert.deepEqual(after, before);
  run('touch', `${state}/open`);
  await eventually('the deliveries that were pending', () =>
    pending.every((name) => succeeds('grep', '-q', name, `${state}/gate.log`)),
  );
  create(tools, 'again', [event(quiet, 2, { handlers: ['gate'] }), event('loud', 2, { handlers: ['gate'] })]);
  await eventually('a new event in the handler', () => succeeds('grep', '-q', 'loud', `${state}/gate.log`));
  assert.ok(!succeeds('grep', '-q', quiet, `${state}/gate.log`), 'the silence holds');
  return `every field of ${Object.keys(before.events).length} events, a silence, an acknowledgement; ${pending.length} pending deliveries were made`;
};
