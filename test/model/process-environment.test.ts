// Which variables of the backend's process others may see.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandVariables, isBackendSetting } from '../../src/model/process-environment.ts';

test('commands start from search path, home, language and time zone, and nothing else of the process', () => {
  const env = {
    PATH: '/bin',
    HOME: '/root',
    LANG: 'C.UTF-8',
    LC_ALL: 'C',
    TZ: 'UTC',
    UNSET: undefined,
    AWS_SECRET_ACCESS_KEY: 'x',
    MON_BACKEND_STORE_URL: 'mongodb://u:p@h',
    NODE_OPTIONS: '--inspect',
  };
  assert.deepEqual(
    { ...commandVariables(env) },
    { PATH: '/bin', HOME: '/root', LANG: 'C.UTF-8', LC_ALL: 'C', TZ: 'UTC' },
  );
});

test('a setting of the backend is known by its prefix, in any case', () => {
  assert.deepEqual(
    ['MON_BACKEND_CLUSTER_ADMIN_PASSWORD', 'mon_backend_store_url', 'MON_BACKENDS', 'PATH'].map(
      isBackendSetting,
    ),
    [true, true, false, false],
  );
});
