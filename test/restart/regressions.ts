// Scenarios in which a restart was once seen, as short as they get: what was forgotten, and what was then different.
import type { Operation, Step } from './operations.ts';

const step = (operation: Operation): Step => ({ operation, kill: 'never' });
const killed = (operation: Operation): Step => ({ operation, kill: 'before' });
const time = (seconds: number): Operation => ({ type: 'time', seconds });
const inDefault = '/api/core/v2/namespaces/default';

const results = (entity: string, count: number, status: number): Operation => ({
  type: 'results',
  entity,
  check: 'uplink',
  status,
  count,
  ttl: 0,
});

const checkOf = (name: string, fields: object): Operation => ({
  type: 'put',
  path: `${inDefault}/checks/${name}`,
  body: {
    metadata: { name, namespace: 'default' },
    command: 'true',
    publish: true,
    subscriptions: ['linux'],
    ...fields,
  },
});

export const regressions: Readonly<Record<string, readonly Step[]>> = {
  'proxy checks go on to run for the entities they match': [
    step(results('router-0', 1, 0)),
    step({ type: 'agent.started', agent: 'agent-0', subscriptions: ['linux'] }),
    step(checkOf('check-0', { interval: 10, proxy_requests: { entity_attributes: ['true'] } })),
    step(time(30)),
    killed(time(30)),
  ],
  'entities count towards the limit whether or not they were heard of since the start': [
    ...['router-0', 'router-1', 'router-2', 'router-3'].map((name) => step(results(name, 1, 0))),
    step({ type: 'agent.started', agent: 'agent-0', subscriptions: [] }),
    step({ type: 'agent.started', agent: 'agent-1', subscriptions: [] }),
    killed(results('router-9', 1, 0)),
  ],
  'the provider of environment variables is there after every start': [
    step({ type: 'delete', path: '/api/enterprise/secrets/v1/providers/env' }),
    killed(time(1)),
  ],
  'an incident longer than the history began when it began': [
    step(results('router-0', 30, 2)),
    killed(time(1)),
  ],
  'a schedule of every so many seconds keeps its phase': [
    step(checkOf('check-0', { cron: '@every 45s' })),
    step(time(31)),
    killed(time(1)),
  ],
  'the end of the incidents of a deleted client is told': [
    step({ type: 'client.result', client: 'client-0', check: 'disk', status: 2, count: 1 }),
    step({ type: 'handlers', failing: true }),
    step({ type: 'client.deleted', client: 'client-0' }),
    killed(time(1)),
  ],
  'the deletion of a client that a kill cut short is finished': [
    step({ type: 'client.result', client: 'client-0', check: 'load', status: 0, count: 1 }),
    { operation: { type: 'client.deleted', client: 'client-0' }, kill: 1 },
  ],
  'what an operator made of the entity of a client stays when the client is heard of again': [
    step({ type: 'client.keepalive', client: 'client-0', address: '10.0.0.1' }),
    step({
      type: 'put',
      path: `${inDefault}/entities/client-0`,
      body: {
        metadata: { name: 'client-0', namespace: 'default', labels: { site: 'a' } },
        entity_class: 'proxy',
        subscriptions: ['rack-7'],
      },
    }),
    killed({ type: 'client.keepalive', client: 'client-0', address: '10.0.0.1' }),
  ],
  'metrics that were acknowledged reach their handlers': [
    step({ type: 'handlers', failing: true }),
    step({
      type: 'post',
      path: `${inDefault}/events`,
      body: {
        entity: { entity_class: 'agent', metadata: { name: 'agent-0', namespace: 'default' } },
        metrics: { handlers: ['record'], points: [{ name: 'load', value: 1, timestamp: 1, tags: [] }] },
      },
    }),
    killed(time(1)),
  ],
  'a problem of the configuration is reported as soon as without the restart': [
    step(checkOf('check-0', { interval: 60 })),
    step(time(14)),
    killed(time(7)),
  ],
  'a problem of the configuration that ends soon after a restart was reported': [
    step(checkOf('check-0', { interval: 60 })),
    step(time(14)),
    killed(time(14)),
    step({ type: 'delete', path: `${inDefault}/checks/check-0` }),
  ],
  'the names of silences come in the same order, however they were written': [
    step({
      type: 'put',
      path: `${inDefault}/silenced/selected`,
      body: {
        metadata: { name: 'selected', namespace: 'default' },
        selector: "event.check.name == 'uplink'",
      },
    }),
    step({
      type: 'put',
      path: `${inDefault}/silenced/*:uplink`,
      body: { metadata: { name: '*:uplink', namespace: 'default' }, check: 'uplink' },
    }),
    killed(results('router-0', 1, 2)),
  ],
};
