import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseOsRelease, readSystemFacts } from '../../src/program/system-facts.ts';

const plain = { stripNetworks: false, detectCloudProvider: false };
const files =
  (content: Record<string, string>) =>
  (path: string): string =>
    content[path] ?? '';

test('an os-release file is read with and without quotes', () => {
  const release = parseOsRelease('ID=ubuntu\nVERSION_ID="22.04"\nNAME=\'Ubuntu\'\n# note\nbroken\n');
  assert.deepEqual(
    [...release],
    [
      ['ID', 'ubuntu'],
      ['VERSION_ID', '22.04'],
      ['NAME', 'Ubuntu'],
    ],
  );
});

test('the platform and its family come from the machine', { skip: process.platform !== 'linux' }, () => {
  const ubuntu = files({ '/etc/os-release': 'ID=ubuntu\nID_LIKE=debian\nVERSION_ID="22.04"' });
  const facts = readSystemFacts(plain, ubuntu);
  assert.deepEqual(
    [facts.platform, facts.platform_family, facts.platform_version],
    ['ubuntu', 'debian', '22.04'],
  );
  const rocky = readSystemFacts(
    plain,
    files({ '/etc/os-release': 'ID="rocky"\nID_LIKE="rhel centos fedora"' }),
  );
  assert.equal(rocky.platform_family, 'rhel');
});

test('this machine is described with names other tools use', () => {
  const facts = readSystemFacts(plain);
  assert.ok(['linux', 'darwin', 'windows', 'freebsd'].includes(facts.os ?? ''));
  assert.ok(!['x64', 'ia32'].includes(facts.arch ?? ''));
  assert.ok((facts.hostname ?? '').length > 0);
  const loopback = facts.network.interfaces?.find(({ addresses }) => addresses.includes('127.0.0.1/8'));
  assert.ok(loopback !== undefined);
  assert.equal('mac' in loopback, false);
});

test('networks are left out on request', () => {
  assert.equal(readSystemFacts({ ...plain, stripNetworks: true }).network.interfaces, null);
});

test('the cloud is looked for only on request', () => {
  const amazon = files({ '/sys/class/dmi/id/bios_vendor': 'Amazon EC2' });
  assert.equal(readSystemFacts(plain, amazon).cloud_provider, '');
  assert.equal(readSystemFacts({ ...plain, detectCloudProvider: true }, amazon).cloud_provider, 'EC2');
});
