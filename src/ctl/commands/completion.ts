// Completion: small scripts for three shells that ask mon-ctl itself what may come next. Names of resources come from the
// backend, with a short time limit, and silently not at all when it can't be reached.
import { dirname } from 'node:path';
import type { Json } from '../client/api-client.ts';
import { type CommandSpec, globalFlags, type Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { kindAddresses, kindOfPath, listPath } from '../kinds/addresses.ts';
import { at } from '../output/values.ts';
import { openSession, type Session } from '../session.ts';
import { formats } from '../settings/settings.ts';

const scripts: Readonly<Record<string, string>> = {
  bash: `_mon_ctl() {
  local IFS=$'\\n'
  COMPREPLY=($(mon-ctl __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _mon_ctl mon-ctl
# To use it now: source <(mon-ctl completion bash)
`,
  zsh: `#compdef mon-ctl
_mon_ctl() {
  local -a found
  found=(\${(f)"$(mon-ctl __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found || _files
}
compdef _mon_ctl mon-ctl
# To use it now: source <(mon-ctl completion zsh)
`,
  fish: `function __mon_ctl_complete
    set -l words (commandline -opc) (commandline -ct)
    mon-ctl __complete -- $words[2..-1] 2>/dev/null
end
complete -c mon-ctl -f -a '(__mon_ctl_complete)'
# To use it now: mon-ctl completion fish | source
`,
};

export const printCompletion: Work = (session, [shell = '']) => {
  const script = scripts[shell];
  if (script === undefined)
    throw new CtlError(`there is completion for ${Object.keys(scripts).join(', ')} (got "${shell}")`);
  session.streams.out.write(script);
};

const childrenOf = async (spec: CommandSpec): Promise<readonly CommandSpec[]> =>
  spec.commands ?? (await spec.loadCommands?.()) ?? [];

/** Longest wait for names of resources. */
const timeLimit = '2s';

/** Of events the entities first, and then the checks of the one that was named. */
const nameIn = (item: Json, given: readonly string[]): unknown => {
  const entity = at(item, 'entity.metadata.name');
  if (entity !== undefined)
    return given.length === 0 ? entity : entity === given[0] ? at(item, 'check.metadata.name') : undefined;
  return given.length === 0
    ? (at(item, 'metadata.name') ?? at(item, 'name') ?? at(item, 'username'))
    : undefined;
};

/** Asks the backend, briefly. `given`: the arguments before the one that is completed. */
const namesAt = async (
  session: Session,
  path: string,
  given: readonly string[],
): Promise<readonly string[]> => {
  try {
    const kind = kindOfPath(path);
    const { store, streams, settings } = session;
    const brief = await openSession(streams, {
      ...session.given,
      timeout: timeLimit,
      'config-dir': dirname(store.path),
    });
    const items = await (await brief.api()).list(listPath(kind, settings.namespace));
    const names = items.map((item) => nameIn(item, given)).filter((name) => name !== undefined);
    return [...new Set(names.map(String))];
  } catch {
    // A shell that waits for a completion has no place for errors.
    return [];
  }
};

const namesOf = async (
  session: Session,
  group: string,
  given: readonly string[],
): Promise<readonly string[]> => {
  const { pathOfWord } = await import('../tree/kinds.ts');
  const path = pathOfWord(group);
  return path === undefined ? [] : namesAt(session, path, given);
};

const contexts = async (session: Session): Promise<readonly string[]> =>
  Object.keys((await session.store.read()).contexts);

/** Commands whose argument is a kind. */
const overKinds: ReadonlySet<string> = new Set(['dump', 'edit', 'describe-type', 'explain', 'prune']);

const allFlags = (spec: CommandSpec | undefined) => [...(spec?.flags ?? []), ...globalFlags];

export const complete =
  (tree: readonly CommandSpec[]): Work =>
  async (session, words) => {
    const current = words.at(-1) ?? '';
    const before = words.slice(0, -1);
    let level = tree;
    let spec: CommandSpec | undefined;
    /** Words that are commands. */
    let depth = 0;
    for (const word of before) {
      const next = level.find(({ name, aliases }) => name === word || aliases?.includes(word));
      if (next === undefined) continue;
      spec = next;
      depth += 1;
      level = await childrenOf(next);
    }
    const previous = before.at(-1) ?? '';
    const flag = allFlags(spec).find(
      ({ name, short }) => previous === `--${name}` || previous === `-${short}`,
    );
    const plain = before.filter((word) => !word.startsWith('-'));
    const path = plain.slice(0, depth);
    const candidates = async (): Promise<readonly string[]> => {
      if (flag?.name === 'format') return formats;
      if (flag?.name === 'namespace') return namesAt(session, 'namespaces', []);
      if (flag?.name === 'context') return contexts(session);
      if (flag?.value !== undefined) return [];
      if (current.startsWith('-')) return allFlags(spec).map(({ name }) => `--${name}`);
      if (level.length > 0) return level.filter(({ name }) => !name.startsWith('__')).map(({ name }) => name);
      if (path[0] === 'config') return path[1] === 'use' || path[1] === 'delete' ? contexts(session) : [];
      if (path[0] === 'completion') return Object.keys(scripts);
      if (overKinds.has(path[0] ?? '') && plain.length === depth)
        return ['all', ...kindAddresses.map(({ path: short }) => short)];
      return spec?.args === undefined ? [] : namesOf(session, path[0] ?? '', plain.slice(depth));
    };
    for (const candidate of await candidates()) if (candidate.startsWith(current)) session.print(candidate);
  };
