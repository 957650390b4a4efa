// A Debian without Node, booted with a systemd of its own in namespaces: nothing of it reaches the host, and its network has only
// a loopback. Needs root, debootstrap and nsenter.
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
const patienceMs = 120_000;

/** Asks until the answer is something other than undefined or false. Throws after two minutes. */
export const eventually = async (what, ask) => {
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await sleep(200);
  }
  throw new Error(`${what}: not within two minutes`);
};

const childOf = (pid) => {
  const isChild = (name) => {
    try {
      return readFileSync(`/proc/${name}/stat`, 'utf8').replace(/.*\) /s, '').split(' ')[1] === String(pid);
    } catch {
      return false;
    }
  };
  return readdirSync('/proc').find((name) => /^\d+$/.test(name) && isChild(name));
};

/** Makes the Debian `suite`, or a copy of `base`, in `folder/root` and boots it. */
export const bootDebian = async (folder, { suite, base }) => {
  const root = join(folder, 'root');
  if (base !== undefined) execFileSync('cp', ['-a', base, root]);
  else {
    const include = '--include=systemd,systemd-sysv,dbus,procps';
    const words = ['--variant=minbase', include, suite, root];
    execFileSync('debootstrap', words, { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const namespaces = ['--mount', '--pid', '--uts', '--ipc', '--net', '--cgroup', '--fork', '--kill-child'];
  const boot = join(import.meta.dirname, 'linux/boot.sh');
  const unshare = spawn('unshare', [...namespaces, 'sh', boot, root], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ended = new Promise((resolve) => unshare.once('exit', resolve));
  const pid = await eventually('a process 1', () => childOf(unshare.pid));
  const enter = [
    '-t',
    pid,
    '-a',
    'env',
    '-i',
    `PATH=${PATH}`,
    'HOME=/root',
    'DEBIAN_FRONTEND=noninteractive',
  ];
  const machine = {
    root,
    /** Arguments of nsenter for a program of the host that sees the machine's network. */
    network: ['-t', pid, '-n'],
    /** Runs a command inside. Returns what it printed; throws when it fails. */
    run: (...words) =>
      execFileSync('nsenter', [...enter, 'chroot', root, ...words], {
        encoding: 'utf8',
        maxBuffer: 1e8,
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    /** The same, and whether it succeeded. */
    succeeds: (...words) => {
      try {
        execFileSync('nsenter', [...enter, 'chroot', root, ...words], { stdio: 'ignore' });
        return true;
      } catch {
        return false;
      }
    },
    stop: async () => {
      unshare.kill('SIGKILL');
      await ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
  await eventually('a booted systemd', () => machine.succeeds('systemctl', 'is-system-running'));
  return machine;
};
