// Tries the .deb files on a Debian without Node: a systemd of its own starts both services from their units, the README's road is
// gone with mon-ctl, services are killed and hung, the packages are upgraded under load, removed, installed again and purged.
// Usage (root, Linux, with debootstrap): node packaging/try-deb.js [--packages=FOLDER] [--old=FOLDER] [--suite=bookworm | --base=FOLDER] [--keep]
//
// --packages has the .deb files (npm run package; node packaging/packages.js); --old those of an older version, which is upgraded.
// --base is what debootstrap made before (with systemd, systemd-sysv, dbus and procps) and is copied.
// Without --old the same programs are installed under a lower version first. Takes two minutes on an idle machine.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bootDebian, eventually } from './try-machine.js';
import { assertKept, prepareUpgrade } from './try-upgrade.js';

const { values } = parseArgs({
  options: {
    packages: { type: 'string', default: join(import.meta.dirname, '../dist/packages') },
    old: { type: 'string' },
    suite: { type: 'string', default: 'bookworm' },
    base: { type: 'string' },
    keep: { type: 'boolean', default: false },
  },
});
const services = ['mon-backend', 'mon-agent'];
const names = [...services, 'mon-cli'];
const settings = 'backend-url: [ws://127.0.0.1:8081]\nsubscriptions: [starter]\nagent-managed-entity: true\n';
/** The limits of the starter checks are labels: from 1 % on memory is red. */
const redSettings = `${settings}labels: { memory_warning: "1" }\n`;

const said = (what) => console.log(`ok  ${what}`);

const needs = () => {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it needs root on Linux';
  const missing = ['debootstrap', 'unshare', 'nsenter', 'dpkg-deb'].filter((tool) => {
    try {
      execFileSync('sh', ['-c', `command -v ${tool}`], { stdio: 'ignore' });
      return false;
    } catch {
      return true;
    }
  });
  return missing.length > 0 ? `it needs ${missing.join(', ')}` : undefined;
};

const debsIn = (folder) => {
  const files = readdirSync(folder).filter((name) => name.endsWith('_amd64.deb'));
  return names.map((name) => {
    const file = files.find((candidate) => candidate.startsWith(`${name}_`));
    if (file === undefined)
      throw new Error(`${folder} has no ${name}_*_amd64.deb: npm run package; node packaging/packages.js`);
    return join(folder, file);
  });
};

/** The packages in `from` with a lower version, as apt compares only that. */
const lowered = (from, folder) => {
  for (const deb of debsIn(from)) {
    const unpacked = join(folder, 'unpacked');
    execFileSync('dpkg-deb', ['-R', deb, unpacked]);
    const control = join(unpacked, 'DEBIAN/control');
    writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, 'Version: 0.0.1'));
    // nfpm ends the list with an empty line, which dpkg-deb refuses.
    const conffiles = join(unpacked, 'DEBIAN/conffiles');
    writeFileSync(conffiles, `${readFileSync(conffiles, 'utf8').trim()}\n`.trimStart());
    execFileSync('dpkg-deb', ['--root-owner-group', '-Z', 'none', '-b', unpacked, folder], {
      stdio: 'ignore',
    });
    execFileSync('rm', ['-r', unpacked]);
  }
  return folder;
};

const tryAll = async (machine, folder) => {
  const { run, succeeds, root } = machine;
  const path = (name) => join(root, name);
  const show = (service, property) => run('systemctl', 'show', '-P', property, service).trim();
  const versionOf = (name) => run('dpkg-query', '-W', name).trim().split('\t')[1];
  const isActive = (service) => succeeds('systemctl', 'is-active', service);
  const copyDebs = (from, name) => {
    mkdirSync(path(name));
    return debsIn(from).map((deb) => {
      cpSync(deb, path(join(name, deb.split('/').at(-1))));
      return `/${name}/${deb.split('/').at(-1)}`;
    });
  };
  const install = (debs) =>
    run('apt-get', 'install', '-y', '-qq', '--no-install-recommends', '--allow-downgrades', ...debs);
  const ctl = (...words) => run('mon-ctl', ...words);
  const json = (...words) => JSON.parse(ctl(...words, '--format', 'json'));
  const tools = { run, succeeds, path, ctl, json };

  const older = copyDebs(lowered(values.old ?? values.packages, folder), 'older');
  const newer = copyDebs(values.packages, 'newer');
  assert.ok(!succeeds('sh', '-c', 'command -v node'), 'no Node inside');
  install(older);
  for (const service of services)
    assert.ok(!isActive(service), `${service} is not started by its installation`);
  writeFileSync(path('etc/mon/agent.yml'), settings);
  run('systemctl', 'enable', '--now', ...services);
  for (const service of services) {
    assert.ok(isActive(service), service);
    const status = readFileSync(`/proc/${hostPid(machine, service)}/status`, 'utf8');
    assert.notEqual(/^Uid:\s+(\d+)/m.exec(status)[1], '0', `${service} is not root`);
  }
  said('installed on a Debian without Node; both units are ready (Type=notify), as users of their own');

  const password = run('cat', '/var/lib/mon/mon-backend/initial-admin-password').trim();
  ctl('configure', '-n', '--url', 'http://127.0.0.1:8080', '--username', 'admin', '--password', password);
  ctl('create', '-f', '/usr/share/mon/starter-checks.yml');
  await eventually('the entity', () => json('entity', 'list').length > 0);
  await eventually(
    'the starter checks',
    () =>
      json('event', 'list').filter(({ check }) => /^(?:load|disk|memory)$/.test(check?.metadata.name))
        .length === 3,
  );
  writeFileSync(path('etc/mon/agent.yml'), redSettings);
  run('systemctl', 'restart', 'mon-agent');
  await eventually('a red check', () =>
    json('event', 'list').some(({ check }) => check?.metadata.name === 'memory' && check.status > 0),
  );
  await eventually('a handler', () =>
    succeeds('grep', '-q', 'memory', '/var/lib/mon/mon-backend/alerts.log'),
  );
  said('the road of the README: a check fails, a handler writes its line');

  const before = show('mon-backend', 'MainPID');
  run('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', 'mon-backend');
  await eventually(
    'a new backend',
    () => isActive('mon-backend') && show('mon-backend', 'MainPID') !== before,
  );
  for (const service of services) {
    const drop = path(`run/systemd/system/${service}.service.d`);
    run(
      'sh',
      '-c',
      `mkdir -p ${drop.slice(root.length)} && printf '[Service]\\nWatchdogSec=15\\nTimeoutAbortSec=2\\nTimeoutStopSec=5\\n' > ${drop.slice(root.length)}/try.conf`,
    );
  }
  run('systemctl', 'daemon-reload');
  run('systemctl', 'restart', ...services);
  const hung = services.map((service) => show(service, 'MainPID'));
  run('systemctl', 'kill', '--signal=STOP', '--kill-whom=main', ...services);
  for (const [index, service] of services.entries())
    await eventually(
      `${service} to be replaced by the watchdog`,
      () => isActive(service) && !['0', hung[index]].includes(show(service, 'MainPID')),
    );
  said('a killed service and one that hangs (watchdog) are started again');
  for (const service of services) run('rm', '-r', `/run/systemd/system/${service}.service.d`);
  run('systemctl', 'daemon-reload');
  run('systemctl', 'restart', ...services);

  const key = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(ctl('api-key', 'grant', 'admin'))[0];
  const load = spawn(
    'nsenter',
    [...machine.network, process.execPath, join(import.meta.dirname, 'try-load.js'), key],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  let printed = '';
  load.stdout.on('data', (part) => {
    printed += part;
  });
  const arrived = () => new Set(json('event', 'list').map(({ check }) => check?.metadata.name));
  await eventually('load', () => arrived().has('agent-20'));
  const prepared = await prepareUpgrade(tools, eventually);
  const pids = services.map((service) => show(service, 'MainPID'));
  const installed = versionOf('mon-agent');
  install(newer);
  const replaced = versionOf('mon-agent');
  assert.notEqual(installed, replaced);
  for (const [index, service] of services.entries()) {
    assert.ok(isActive(service), service);
    assert.notEqual(show(service, 'MainPID'), pids[index], `${service} was restarted`);
  }
  const size = arrived().size;
  await eventually('events after the upgrade', () => arrived().size > size + 10);
  load.stdin.write('stop\n');
  await new Promise((resolve) => load.once('close', resolve));
  const accepted = JSON.parse(printed);
  const all = [...accepted.agent, ...accepted.backend];
  await eventually('every accepted event', () => {
    const there = arrived();
    return all.every((name) => there.has(name));
  });
  assert.equal(readFileSync(path('etc/mon/agent.yml'), 'utf8'), redSettings);
  said(
    `upgraded ${installed} to ${replaced} under load: all of ${accepted.agent.length} events through the agent and ${accepted.backend.length} through the API are there`,
  );
  said(`kept: ${await assertKept(tools, eventually, prepared)}`);

  for (const service of services) {
    const { RssAnon, RssFile } = Object.fromEntries(
      [
        ...readFileSync(`/proc/${hostPid(machine, service)}/status`, 'utf8').matchAll(/^(Rss\w+):\s+(\d+)/gm),
      ].map(([, word, kilobytes]) => [word, Math.round(Number(kilobytes) / 1_000)]),
    );
    console.log(`    ${service}: ${RssAnon} MB of its own, ${RssFile} MB of file pages`);
  }

  run('apt-get', 'remove', '-y', '-qq', ...names);
  for (const service of services) assert.ok(!isActive(service), `${service} ends with its package`);
  install(newer);
  run('systemctl', 'enable', '--now', ...services);
  const kept = arrived();
  assert.deepEqual(
    all.filter((name) => !kept.has(name)),
    [],
  );
  said('removed and installed again: services ended, every event is there');

  run('apt-get', 'purge', '-y', '-qq', ...names);
  const left = run(
    'sh',
    '-c',
    'find / -xdev ( -name "mon-*" -o -path "*/mon/*" ) -not -path "/proc/*" -not -path "/older*" -not -path "/newer*" -not -path "/var/log/*" -not -path "/root/*" -not -path "/run/*"'.replace(
      /[()]/g,
      '\\$&',
    ),
  ).trim();
  assert.equal(left, '', 'nothing is left after a purge');
  assert.ok(!succeeds('getent', 'passwd', 'mon-agent'));
  said('purged: programs, settings, data and users are gone');
};

/** The number that the host has for the main process of a service. */
const hostPid = ({ run }, service) => {
  const inside = run('systemctl', 'show', '-P', 'MainPID', service).trim();
  const match = (name) => {
    try {
      const text = readFileSync(`/proc/${name}/status`, 'utf8');
      return (
        new RegExp(`^NSpid:.*\\t${inside}$`, 'm').test(text) &&
        readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(service)
      );
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').find((name) => /^\d+$/.test(name) && match(name));
};

const missing = needs();
if (missing !== undefined) console.log(`skipped: ${missing}`);
else {
  const folder = mkdtempSync(join(tmpdir(), 'mon-try-deb-'));
  const machine = await bootDebian(folder, values);
  try {
    await tryAll(machine, folder);
  } catch (error) {
    process.exitCode = 1;
    console.error(error);
    for (const service of services)
      console.error(machine.run('journalctl', '--no-pager', '-n', '15', '-u', service));
  } finally {
    if (values.keep && process.exitCode === 1) console.log(`kept: ${machine.root}`);
    else await machine.stop();
    execFileSync('rm', ['-rf', ...(values.keep && process.exitCode === 1 ? [] : [folder])], {
      stdio: 'ignore',
    });
  }
  process.exit();
}
