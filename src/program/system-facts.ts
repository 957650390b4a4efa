// Collects facts about the machine for the agent. Reads files only; runs no commands.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { hostname, networkInterfaces } from 'node:os';
import { emptySystem, type System } from '../model/entity/entity.ts';

export interface FactOptions {
  readonly stripNetworks: boolean;
  readonly detectCloudProvider: boolean;
}

type ReadFile = (path: string) => string;

/** Empty if the file does not exist; most of these files exist on some systems only. */
const readIfThere: ReadFile = (path) => {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return '';
  }
};

const goArchitectures: Readonly<Record<string, string>> = {
  x64: 'amd64',
  ia32: '386',
  arm64: 'arm64',
  arm: 'arm',
  ppc64: 'ppc64le',
  s390x: 's390x',
  riscv64: 'riscv64',
  mipsel: 'mipsle',
};
const goSystems: Readonly<Record<string, string>> = { win32: 'windows', sunos: 'solaris' };

const families: readonly (readonly [RegExp, string])[] = [
  [/debian|ubuntu|mint|raspbian/, 'debian'],
  [/rhel|fedora|centos|rocky|alma|amzn|ol\b/, 'rhel'],
  [/suse|sles/, 'suse'],
  [/arch/, 'arch'],
  [/alpine/, 'alpine'],
];

/** The key-value pairs of an os-release file. */
export const parseOsRelease = (text: string): Map<string, string> =>
  new Map(
    text.split('\n').flatMap((line): [string, string][] => {
      const pair = /^([A-Z_]+)=(.*)$/.exec(line.trim());
      return pair === null ? [] : [[pair[1] ?? '', (pair[2] ?? '').replace(/^(["'])(.*)\1$/, '$2')]];
    }),
  );

const platformOf = (read: ReadFile): Partial<System> => {
  if (process.platform !== 'linux') return { platform: goSystems[process.platform] ?? process.platform };
  const release = parseOsRelease(read('/etc/os-release'));
  const id = release.get('ID') ?? '';
  const kin = `${id} ${release.get('ID_LIKE') ?? ''}`;
  const family = families.find(([pattern]) => pattern.test(kin))?.[1] ?? id;
  return { platform: id, platform_family: family, platform_version: release.get('VERSION_ID') ?? '' };
};

const libcOf = (): string => {
  if (process.platform !== 'linux') return '';
  try {
    return readdirSync('/lib').some((name) => name.startsWith('ld-musl')) ? 'musl' : 'glibc';
  } catch {
    return '';
  }
};

const vendors: readonly (readonly [RegExp, string])[] = [
  [/kvm|qemu|amazon ec2|google/i, 'kvm'],
  [/vmware/i, 'vmware'],
  [/virtualbox|innotek/i, 'vbox'],
  [/microsoft|hyper-v/i, 'hyperv'],
  [/xen/i, 'xen'],
];

const virtualOf = (read: ReadFile): Pick<System, 'vm_system' | 'vm_role'> => {
  if (process.platform !== 'linux') return { vm_system: '', vm_role: '' };
  if (existsSync('/.dockerenv')) return { vm_system: 'docker', vm_role: 'guest' };
  const machine = ['sys_vendor', 'product_name'].map((name) => read(`/sys/class/dmi/id/${name}`)).join(' ');
  const system = vendors.find(([pattern]) => pattern.test(machine))?.[1] ?? '';
  const isGuest = system !== '' || /^flags.*\bhypervisor\b/m.test(read('/proc/cpuinfo'));
  return { vm_system: system, vm_role: isGuest ? 'guest' : '' };
};

const cloudOf = (read: ReadFile): string => {
  const dmi = ['bios_version', 'bios_vendor', 'sys_vendor']
    .map((name) => read(`/sys/class/dmi/id/${name}`))
    .join(' ');
  if (/amazon/i.test(dmi) || read('/sys/hypervisor/uuid').startsWith('ec2')) return 'EC2';
  if (/google/i.test(dmi)) return 'GCP';
  return /microsoft/i.test(dmi) ? 'Azure' : '';
};

const noMac = '00:00:00:00:00:00';

const interfacesOf = (): NonNullable<System['network']['interfaces']> =>
  Object.entries(networkInterfaces()).map(([name, addresses = []]) => {
    const mac = addresses[0]?.mac ?? noMac;
    return {
      name,
      ...(mac === noMac ? {} : { mac }),
      addresses: addresses.flatMap(({ cidr, address }) => [cidr ?? address]),
    };
  });

const armVersion = (): number | undefined => {
  const variables = process.config.variables as { arm_version?: unknown };
  const version = process.arch === 'arm' ? Number(variables.arm_version) : Number.NaN;
  return Number.isInteger(version) ? version : undefined;
};

/** Reads the system facts. Unknown values are empty. */
export const readSystemFacts = (options: FactOptions, read: ReadFile = readIfThere): System => {
  const arm = armVersion();
  return {
    ...emptySystem(),
    hostname: hostname() || 'unidentified-hostname',
    os: goSystems[process.platform] ?? process.platform,
    ...platformOf(read),
    arch: goArchitectures[process.arch] ?? process.arch,
    ...(arm === undefined ? {} : { arm_version: arm }),
    network: { interfaces: options.stripNetworks ? null : interfacesOf() },
    libc_type: libcOf(),
    ...virtualOf(read),
    cloud_provider: options.detectCloudProvider ? cloudOf(read) : '',
  };
};
