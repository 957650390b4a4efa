// What happens to a backend in the restart property: operators, agents, events, clients of the earlier generation, time and
// failing handlers, drawn at random. Every value is plain data, so that a counter-example can be read and played again.
import { fc } from '../property.ts';

export type Operation =
  /** Results of a proxy entity, one a second, all of one status. */
  | {
      readonly type: 'results';
      readonly entity: string;
      readonly check: string;
      readonly status: number;
      readonly count: number;
      readonly ttl: number;
    }
  | { readonly type: 'agent.started'; readonly agent: string; readonly subscriptions: readonly string[] }
  /** Dies, and stays away until its keepalive fails. */
  | { readonly type: 'agent.died'; readonly agent: string }
  | { readonly type: 'agent.revived'; readonly agent: string }
  /** What the runs of an agent end with from now on. */
  | { readonly type: 'agent.status'; readonly agent: string; readonly status: number }
  | { readonly type: 'put'; readonly path: string; readonly body: object }
  | { readonly type: 'post'; readonly path: string; readonly body: object }
  | { readonly type: 'delete'; readonly path: string }
  | { readonly type: 'client.keepalive'; readonly client: string; readonly address: string }
  | {
      readonly type: 'client.result';
      readonly client: string;
      readonly check: string;
      readonly status: number;
      readonly count: number;
    }
  | { readonly type: 'client.deleted'; readonly client: string }
  /** While handlers fail, every delivery meets an outage and is tried again. */
  | { readonly type: 'handlers'; readonly failing: boolean }
  | { readonly type: 'time'; readonly seconds: number };

/** `before`: between two operations. A number: so many turns after the operation began, before it is answered. */
type Kill = 'never' | 'before' | number;

export interface Step {
  readonly operation: Operation;
  readonly kill: Kill;
}

const inDefault = '/api/core/v2/namespaces/default';
const named = (name: string, namespace: string | undefined = 'default') => ({ name, namespace });
const several = (prefix: string, count: number) =>
  fc.constantFrom(...Array.from({ length: count }, (_, index) => `${prefix}${index}`));

const entity = several('router-', 4);
const agent = several('agent-', 3);
const client = several('client-', 2);
const check = several('check-', 3);
const status = fc.constantFrom(0, 0, 1, 2, 2, 3);
const subscription = fc.constantFrom('linux', 'web');

const results = fc.record({
  type: fc.constant('results' as const),
  entity,
  check: fc.constantFrom('uplink', 'fan'),
  status,
  count: fc.oneof(fc.constant(1), fc.integer({ min: 2, max: 30 })),
  ttl: fc.constantFrom(0, 0, 40, 300),
});

const timing = fc.oneof(
  fc.record({ interval: fc.constantFrom(10, 45, 60) }),
  fc.record({ cron: fc.constantFrom('* * * * *', '*/5 * * * *', '@every 45s') }),
);

const checkDefinition = fc
  .record({
    name: check,
    timing,
    subscriptions: fc.uniqueArray(subscription, { minLength: 1 }),
    round_robin: fc.boolean(),
    publish: fc.constantFrom(true, true, true, false),
    ttl: fc.constantFrom(0, 0, 600),
    proxies: fc.boolean(),
  })
  .map(({ name, timing, proxies, ...more }) => ({
    type: 'put' as const,
    path: `${inDefault}/checks/${name}`,
    body: {
      metadata: named(name),
      command: 'true',
      handlers: ['record'],
      ...timing,
      ...more,
      ...(proxies
        ? { proxy_requests: { entity_attributes: ["entity.entity_class == 'proxy'"], splay: false } }
        : {}),
    },
  }));

const silence = fc
  .record({
    subscription: fc.option(
      fc.oneof(entity, agent).map((name) => `entity:${name}`),
      { nil: undefined },
    ),
    check: fc.option(fc.oneof(check, fc.constant('uplink')), { nil: undefined }),
    expire: fc.constantFrom(-1, 30, 200),
    expire_on_resolve: fc.boolean(),
  })
  .filter(({ subscription, check }) => subscription !== undefined || check !== undefined)
  .map(({ subscription, check, ...more }) => ({
    type: 'put' as const,
    path: `${inDefault}/silenced/${subscription ?? '*'}:${check ?? '*'}`,
    body: {
      metadata: named(`${subscription ?? '*'}:${check ?? '*'}`),
      ...(subscription === undefined ? {} : { subscription }),
      ...(check === undefined ? {} : { check }),
      ...more,
    },
  }));

const selecting = fc
  .record({
    selector: fc.constantFrom("event.check.name == 'uplink'", "event.entity.name matches 'web'"),
    windows: fc.option(
      fc.record({
        begin: fc.constantFrom('00:00', '00:02', '00:05'),
        end: fc.constantFrom('00:03', '00:09'),
      }),
      { nil: undefined },
    ),
    expire: fc.constantFrom(-1, 200),
  })
  .map(({ windows, ...more }) => ({
    type: 'put' as const,
    path: `${inDefault}/silenced/selected`,
    body: {
      metadata: named('selected'),
      ...(windows === undefined ? {} : { windows: [{ days: [], time_zone: 'UTC', ...windows }] }),
      ...more,
    },
  }));

const acknowledged = fc
  .record({ entity, of: fc.constantFrom('uplink', 'fan'), remind_every: fc.constantFrom(0, 60, 150) })
  .map(({ entity: name, of, remind_every }) => ({
    type: 'put' as const,
    path: `${inDefault}/events/${name}/${of}/acknowledgement`,
    body: { comment: 'seen', remind_every },
  }));

const entityDefinition = fc
  .record({ name: entity, site: fc.constantFrom('a', 'b') })
  .map(({ name, site }) => ({
    type: 'put' as const,
    path: `${inDefault}/entities/${name}`,
    body: { metadata: { ...named(name), labels: { site } }, entity_class: 'proxy', subscriptions: ['web'] },
  }));

const rules = fc.uniqueArray(fc.constantFrom('events', 'entities', 'checks', 'silenced'), { minLength: 1 });
const rights = fc.oneof(
  rules.map((resources) => ({
    type: 'put' as const,
    path: `${inDefault}/roles/reader`,
    body: {
      metadata: named('reader'),
      rules: [{ verbs: ['get', 'list'], resources, resource_names: null }],
    },
  })),
  fc.constantFrom('User', 'Group').map((type) => ({
    type: 'put' as const,
    path: `${inDefault}/rolebindings/readers`,
    body: {
      metadata: named('readers'),
      subjects: [{ type, name: type === 'User' ? 'viewer' : 'viewers' }],
      role_ref: { type: 'Role', name: 'reader' },
    },
  })),
  fc.record({ disabled: fc.boolean(), groups: fc.subarray(['viewers', 'others']) }).map((more) => ({
    type: 'put' as const,
    path: '/api/core/v2/users/viewer',
    body: { username: 'viewer', password_hash: viewerHash, ...more },
  })),
);

/** Of a password nobody needs. */
export const viewerHash = '$2b$04$NnYb2ba2wCQiN0ClN4DYcO1oCU0m1mgJxvTRV0vCYqFbw1TqQyNku';

const furnishing = fc.oneof(
  fc.constantFrom('team-a', 'team-b').map((name) => ({
    type: 'put' as const,
    path: `/api/core/v2/namespaces/${name}`,
    body: { name },
  })),
  fc.constantFrom('record', 'mail').map((name) => ({
    type: 'put' as const,
    path: `${inDefault}/handlers/${name}`,
    body: { metadata: named(name), type: 'pipe', command: 'cat' },
  })),
  fc.constantFrom('night', 'day').map((name) => ({
    type: 'put' as const,
    path: `${inDefault}/filters/${name}`,
    body: { metadata: named(name), action: 'allow', expressions: ['event.check.status > 0'] },
  })),
  fc.constant({
    type: 'put' as const,
    path: '/api/enterprise/secrets/v1/namespaces/default/secrets/token',
    body: {
      type: 'Secret',
      api_version: 'secrets/v1',
      metadata: named('token'),
      spec: { id: 'TOKEN', provider: 'env' },
    },
  }),
);

const removed = fc
  .oneof(
    entity.map((name) => `${inDefault}/entities/${name}`),
    fc
      .tuple(entity, fc.constantFrom('uplink', 'fan'))
      .map(([name, of]) => `${inDefault}/events/${name}/${of}`),
    check.map((name) => `${inDefault}/checks/${name}`),
    fc.constantFrom('night', 'day').map((name) => `${inDefault}/filters/${name}`),
    fc.constantFrom(
      '/api/enterprise/secrets/v1/providers/env',
      '/api/core/v2/namespaces/team-a',
      '/api/core/v2/namespaces/team-b',
      '/api/core/v2/users/viewer',
      `${inDefault}/roles/reader`,
      `${inDefault}/rolebindings/readers`,
      `${inDefault}/handlers/mail`,
      `${inDefault}/silenced/*:uplink`,
    ),
    entity.map((name) => `${inDefault}/silenced/entity:${name}:*`),
  )
  .map((path) => ({ type: 'delete' as const, path }));

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: results },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('agent.started' as const),
      agent,
      subscriptions: fc.uniqueArray(subscription, { minLength: 1 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('agent.died' as const), agent }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('agent.revived' as const), agent }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('agent.status' as const), agent, status }) },
  { weight: 5, arbitrary: checkDefinition },
  { weight: 3, arbitrary: silence },
  { weight: 2, arbitrary: selecting },
  { weight: 3, arbitrary: acknowledged },
  { weight: 2, arbitrary: entityDefinition },
  { weight: 3, arbitrary: rights },
  { weight: 2, arbitrary: furnishing },
  { weight: 4, arbitrary: removed },
  {
    weight: 1,
    arbitrary: check.map((name) => ({
      type: 'post' as const,
      path: `${inDefault}/checks/${name}/execute`,
      body: { check: name },
    })),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('client.keepalive' as const),
      client,
      address: fc.constantFrom('10.0.0.1', '10.0.0.2'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('client.result' as const),
      client,
      check: fc.constantFrom('disk', 'load'),
      status,
      count: fc.constantFrom(1, 3, 25),
    }),
  },
  { weight: 1, arbitrary: client.map((name) => ({ type: 'client.deleted' as const, client: name })) },
  {
    weight: 2,
    arbitrary: fc.boolean().map((failing) => ({ type: 'handlers' as const, failing })),
  },
  {
    weight: 6,
    arbitrary: fc.integer({ min: 1, max: 240 }).map((seconds) => ({ type: 'time' as const, seconds })),
  },
);

const kill: fc.Arbitrary<Kill> = fc.oneof(
  { weight: 8, arbitrary: fc.constant('never' as const) },
  { weight: 2, arbitrary: fc.constant('before' as const) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 8 }) },
);

export const scenario: fc.Arbitrary<readonly Step[]> = fc.array(fc.record({ operation, kill }), {
  minLength: 2,
  maxLength: 30,
  size: 'max',
});
