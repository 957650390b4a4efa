// What nfpm (https://nfpm.goreleaser.com) makes .deb and .rpm files from: one description a package, written as JSON, which is YAML.
import { join } from 'node:path';

const linux = join(import.meta.dirname, 'linux');
const architectures = { x64: 'amd64', arm64: 'arm64' };

/** `more`: what nfpm knows of a file beyond its mode, such as the packager it is for. */
const file = (src, dst, mode = 0o644, more = {}) => ({
  src,
  dst,
  ...more,
  file_info: { mode, owner: 'root', group: 'root' },
});

/** A file whose place, or kind, differs between the families of distributions. */
const placed = (src, deb, rpm, rpmType = undefined) => [
  file(src, deb, 0o644, { packager: 'deb' }),
  file(src, rpm, 0o644, { packager: 'rpm', ...(rpmType === undefined ? {} : { type: rpmType }) }),
];

const service = (name, settings) => [
  ...placed(
    join(linux, `${name}.service`),
    `/lib/systemd/system/${name}.service`,
    `/usr/lib/systemd/system/${name}.service`,
  ),
  file(join(linux, `${settings}.yml.example`), `/etc/mon/${settings}.yml.example`, 0o644, {
    type: 'config|noreplace',
  }),
];

export const packages = {
  'mon-agent': {
    description: 'Agent of mon: runs checks on this machine and reports to a mon backend',
    contents: () => service('mon-agent', 'agent'),
    isService: true,
  },
  'mon-backend': {
    description: 'Backend of mon: keeps entities and events, notices silence, tells people',
    contents: ({ starters }) => [
      ...service('mon-backend', 'backend'),
      file(starters, '/usr/share/mon/starter-checks.yml'),
    ],
    isService: true,
  },
  'mon-cli': {
    description: 'Command line of mon, over its HTTP API',
    program: 'mon-ctl',
    contents: ({ completions }) => [
      file(completions.bash, '/usr/share/bash-completion/completions/mon-ctl'),
      ...placed(
        completions.zsh,
        '/usr/share/zsh/vendor-completions/_mon-ctl',
        '/usr/share/zsh/site-functions/_mon-ctl',
      ),
      file(completions.fish, '/usr/share/fish/vendor_completions.d/mon-ctl.fish'),
    ],
    isService: false,
  },
};

/** The description of one package. `made` says where the parts are that were made for it. */
export const describe = (name, arch, { version, homepage }, maintainer, made) => {
  const { contents, description, isService, program = name } = packages[name];
  const scripts = { postinstall: 'postinstall', preremove: 'preremove', postremove: 'postremove' };
  return {
    name,
    arch: architectures[arch],
    platform: 'linux',
    version,
    section: 'admin',
    priority: 'optional',
    maintainer,
    description,
    ...(homepage === undefined ? {} : { homepage }),
    license: 'Apache-2.0',
    mtime: made.date,
    // Node's executables are for glibc.
    overrides: {
      deb: { depends: ['libc6 (>= 2.28)', 'libstdc++6', ...(isService ? ['passwd'] : [])] },
      rpm: { depends: ['glibc >= 2.28', 'libstdc++', ...(isService ? ['shadow-utils'] : [])] },
    },
    // gzip: nfpm takes minutes for xz, and not every dpkg reads zstd.
    deb: { compression: 'gzip' },
    rpm: { compression: 'gzip' },
    contents: [
      file(made.executable(program), `/usr/bin/${program}`, 0o755),
      ...placed(
        made.manPage(program),
        `/usr/share/man/man1/${program}.1.gz`,
        `/usr/share/man/man1/${program}.1.gz`,
        'doc',
      ),
      ...placed(
        made.license,
        `/usr/share/doc/${name}/copyright`,
        `/usr/share/licenses/${name}/LICENSE`,
        'license',
      ),
      ...contents(made),
    ],
    ...(isService
      ? {
          scripts: Object.fromEntries(
            Object.entries(scripts).map(([when, script]) => [when, made.script(script, name)]),
          ),
        }
      : {}),
  };
};
