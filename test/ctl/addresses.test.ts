import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindAddresses, listPath, resourcePath } from '../../src/ctl/kinds/addresses.ts';
import { resourceKinds } from '../../src/model/resource/resource-kinds.ts';

test('every kind of the model has the same address in mon-ctl', () => {
  assert.deepEqual(
    kindAddresses.map((kind) => ({ ...kind, url: listPath(kind, undefined) })),
    resourceKinds.map(({ type, types, apiVersion, path, namespaced, wrapped, basePath }) => ({
      type,
      types: [...types],
      apiVersion,
      path,
      namespaced,
      wrapped,
      url: `${basePath}/${path}`,
    })),
  );
});

test('names are escaped part by part', () => {
  const events = kindAddresses.find(({ path }) => path === 'events');
  assert.ok(events);
  assert.equal(
    resourcePath(events, 'default', 'web/1', 'cpu'),
    '/api/core/v2/namespaces/default/events/web%2F1/cpu',
  );
});
