// Selectors compare what their caller may read: none of them is an oracle for values that are redacted.
import assert from 'node:assert/strict';
import test from 'node:test';
import { openHouse } from './harness.ts';

const secret = 'hunter2-secret';

test('no selector on any list finds out a redacted label', async (t) => {
  const house = await openHouse(t);
  const entity = {
    entity_class: 'proxy',
    metadata: {
      name: 'switch',
      namespace: 'default',
      labels: { password: secret, 'pin-code': secret, region: 'eu' },
    },
    redact: ['password', 'pin_code'],
  };
  await house.ask('PUT', '/api/core/v2/namespaces/default/entities/switch', { body: entity });
  await house.ask('POST', '/api/core/v2/namespaces/default/events', {
    body: { entity, check: { metadata: { name: 'disk' }, interval: 60, status: 0 } },
  });
  const lists = [
    ['/api/core/v2/namespaces/default/entities', 'entity'],
    ['/api/core/v2/entities', 'entity'],
    ['/api/core/v3/namespaces/default/entity-configs', 'entity'],
    ['/api/core/v2/namespaces/default/events', 'event'],
    ['/api/core/v2/namespaces/default/events/switch', 'event'],
  ] as const;
  for (const [path, prefix] of lists) {
    const count = async (kind: 'fieldSelector' | 'labelSelector', text: string): Promise<number> => {
      const reply = await house.ask('GET', `${path}?${new URLSearchParams({ [kind]: text })}`);
      assert.equal(reply.status, 200, `${path} ${text} ${reply.text}`);
      assert.ok(!reply.text.includes(secret));
      return reply.json.length;
    };
    const region = `${prefix}.labels.region`;
    assert.equal(await count('fieldSelector', `${region} == 'eu'`), 1, path);
    assert.equal(await count('labelSelector', "region == 'eu'"), 1, path);
    const guesses = (name: string) => [
      `${name} matches 'hunter'`,
      `${name} == '${secret}'`,
      `${name} in ['${secret}']`,
      `'${secret}' in ${name}`,
    ];
    for (const guess of guesses(`${prefix}.labels.password`))
      assert.equal(await count('fieldSelector', guess), 0, `${path} ${guess}`);
    for (const guess of guesses('password'))
      assert.equal(await count('labelSelector', guess), 0, `${path} ${guess}`);
    assert.equal(await count('labelSelector', `password != '${secret}'`), 1);
    assert.equal(
      await count('labelSelector', "password == 'REDACTED'"),
      1,
      'what readers see is what is compared',
    );
  }
});
