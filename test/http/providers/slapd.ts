// A real directory for tests: slapd (OpenLDAP) on free ports in a folder of its own, with a few people and groups.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'ldapts';
import { freePort } from '../../free-port.ts';
import { skipWithout } from '../../requirements.ts';
import type { Authority } from '../certificates.ts';

const program = ['/usr/sbin/slapd', '/usr/libexec/slapd'].find((path) => existsSync(path)) ?? 'slapd';
const isHere = spawnSync(program, ['-VV']).error === undefined && existsSync('/etc/ldap/schema/core.schema');

export const skipWithoutSlapd = skipWithout(
  'slapd',
  isHere ? false : 'no slapd: install the Debian package slapd',
);

export const suffix = 'dc=example,dc=org';
const admin = { user_dn: `cn=admin,${suffix}`, password: 'admin-password' };
export const binder = { user_dn: `cn=binder,${suffix}`, password: 'binder-password' };

const configuration = (dir: string, authority: Authority): string => {
  const { certFile, keyFile } = authority.issue('directory');
  return `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
pidfile ${dir}/slapd.pid
TLSCACertificateFile ${authority.caFile}
TLSCertificateFile ${certFile}
TLSCertificateKeyFile ${keyFile}
database mdb
suffix "${suffix}"
rootdn "${admin.user_dn}"
rootpw ${admin.password}
directory ${dir}/db
maxsize 10485760
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by users read by anonymous none
`;
};

const person = (uid: string, cn: string, userPassword: string) =>
  [
    `uid=${uid},ou=people,${suffix}`,
    { objectClass: ['inetOrgPerson'], uid, cn, sn: cn, userPassword },
  ] as const;
const group = (cn: string, members: readonly string[]) =>
  [
    `cn=${cn},ou=groups,${suffix}`,
    { objectClass: ['groupOfNames'], cn, member: members.map((uid) => `uid=${uid},ou=people,${suffix}`) },
  ] as const;

const entries = [
  [suffix, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' }],
  [binder.user_dn, { objectClass: ['person'], cn: 'binder', sn: 'binder', userPassword: binder.password }],
  [`ou=people,${suffix}`, { objectClass: ['organizationalUnit'], ou: 'people' }],
  [`ou=groups,${suffix}`, { objectClass: ['organizationalUnit'], ou: 'groups' }],
  person('ada', 'Ada Lovelace', 'adas-password'),
  person('bob', 'Bob', 'bobs-password'),
  // Twice the same common name: a search by it finds two.
  person('bob2', 'Bob', 'bob2s-password'),
  group('ops', ['ada', 'bob']),
  group('dev team', ['ada']),
] as const;

export interface Slapd {
  readonly ldapPort: number;
  readonly ldapsPort: number;
  /** Works as the administrator of the directory. */
  asAdmin<T>(work: (client: Client) => Promise<T>): Promise<T>;
  stop(): Promise<void>;
}

export const startSlapd = async (t: TestContext, authority: Authority): Promise<Slapd> => {
  const dir = mkdtempSync(join(tmpdir(), 'mon-slapd-'));
  mkdirSync(join(dir, 'db'));
  writeFileSync(join(dir, 'slapd.conf'), configuration(dir, authority));
  const [ldapPort, ldapsPort] = [await freePort(), await freePort()];
  const listen = `ldap://127.0.0.1:${ldapPort} ldaps://127.0.0.1:${ldapsPort}`;
  const child = spawn(program, ['-f', join(dir, 'slapd.conf'), '-h', listen, '-d', '0'], { stdio: 'pipe' });
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  t.after(async () => {
    if (child.exitCode === null && child.signalCode === null) await stop();
    rmSync(dir, { recursive: true, force: true });
  });
  const asAdmin: Slapd['asAdmin'] = async (work) => {
    const client = new Client({ url: `ldap://127.0.0.1:${ldapPort}`, strictDN: false });
    try {
      await client.bind(admin.user_dn, admin.password);
      return await work(client);
    } finally {
      await client.unbind();
    }
  };
  for (let tries = 0; ; tries += 1) {
    try {
      await asAdmin(async (client) => {
        for (const [dn, attributes] of entries)
          await client.add(dn, attributes as unknown as Record<string, string[] | string>);
      });
      break;
    } catch (error) {
      if (tries > 100 || child.exitCode !== null)
        throw new Error(`slapd did not start: ${said}`, { cause: error });
      await pause(50);
    }
  }
  return { ldapPort, ldapsPort, asAdmin, stop };
};
