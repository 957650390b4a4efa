// Members of one cluster as real processes, on ports that they keep.
import type { TestContext } from 'node:test';
import type { MemberView } from '../../src/http/routes/operations.ts';
import { type ApiClient, eventually, type Program } from './programs.ts';
import { type Member, memberOf, shareKey, startFirst, startSecond } from './standby-members.ts';

export interface ClusterMember extends Member {
  readonly name: string;
}

const clusterMemberOf = async (
  dir: string,
  name: string,
  { storeUrl, busUrl }: { readonly storeUrl: string; readonly busUrl: string },
): Promise<ClusterMember> => {
  const member = await memberOf(dir, name, storeUrl);
  return {
    ...member,
    name,
    args: [...member.args, '--bus-url', busUrl, '--name', name],
    env: { MON_BACKEND_PREVIEW: 'cluster' },
  };
};

const readyText = ({ api }: Member): Promise<string> =>
  fetch(`${api}/ready`, { signal: AbortSignal.timeout(5_000) }).then(
    (response) => response.text(),
    () => '',
  );

export const untilReady = async (member: ClusterMember): Promise<void> => {
  let last = '';
  const isReady = async (): Promise<boolean> => {
    last = await readyText(member);
    return last.startsWith('ready');
  };
  await eventually(`${member.name} is ready`, isReady, 180_000).catch((error: Error) => {
    throw new Error(`${error.message}: ${last}`);
  });
};

export interface Cluster {
  readonly members: readonly ClusterMember[];
  readonly programs: Map<string, Program>;
  /** Starts a member again. */
  start(member: ClusterMember): Program;
}

/** Three members, all serving their share. */
export const startCluster = async (
  t: TestContext,
  dir: string,
  urls: { readonly storeUrl: string; readonly busUrl: string },
): Promise<Cluster> => {
  const names = ['b1', 'b2', 'b3'];
  const members = await Promise.all(names.map((name) => clusterMemberOf(dir, name, urls)));
  const programs = new Map<string, Program>();
  const start = (member: ClusterMember): Program => {
    const program = startSecond(t, member);
    programs.set(member.name, program);
    return program;
  };
  const [first, ...others] = members as [ClusterMember, ...ClusterMember[]];
  programs.set(first.name, await startFirst(t, first));
  for (const other of others) await shareKey(first, other);
  for (const other of others) start(other);
  for (const member of members) await untilReady(member);
  return { members, programs, start };
};

export const statusAt = async (api: ApiClient): Promise<readonly MemberView[]> => {
  const answer = await api.get<{ readonly members: readonly MemberView[] }>('/api/inspect/v1/cluster');
  return answer.members;
};

/** Until these members, and no others, serve all shards, each about its share. */
export const untilShared = (api: ApiClient, names: readonly string[]): Promise<readonly MemberView[]> =>
  eventually(
    'all shards are served',
    async () => {
      const members = await statusAt(api).catch(() => []);
      const isAll = members.length === names.length && members.every(({ name }) => names.includes(name));
      const shards = members.reduce((sum, member) => sum + (member.shards ?? 0), 0);
      return isAll && shards === 256 && members.every(({ shards: own }) => (own ?? 0) > 40) && members;
    },
    180_000,
  );
