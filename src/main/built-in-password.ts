// The built-in agent password, so that the first agent needs no configuration. It is public, so a backend reachable
// from other machines logs a warning at every start until it is changed.
import { isIP } from 'node:net';
import type { ResourceTable } from '../actors/resources/resource-table.ts';
import { findUser } from '../http/auth/credentials.ts';
import type { HashingQueue } from '../http/auth/hashing-queue.ts';
import { agentPassword, agentsGroup, agentUsername } from '../model/resource/seeds.ts';
import type { Logger } from '../program/log.ts';

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** `hosts`: the listener addresses. `api`: the API URL for the command in the warning. */
export const warnOfBuiltInPassword = async (options: {
  readonly table: ResourceTable;
  readonly hashing: Pick<HashingQueue, 'verify'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly hosts: readonly string[];
  readonly api: string;
}): Promise<void> => {
  const { table, hashing, log, hosts, api } = options;
  const reachable = hosts.filter((host) => !isLoopback(host));
  const user = findUser(table, agentUsername);
  const hash = user?.password_hash || user?.password;
  if (reachable.length === 0 || user === undefined || user.disabled === true || !hash) return;
  if (!(await hashing.verify(agentPassword, hash))) return;
  const url = `${api}/api/core/v2/users/${agentUsername}`;
  const body = JSON.stringify({ username: agentUsername, password: '<new>', groups: [agentsGroup] });
  log.warn(
    {
      listeners: reachable,
      change: `curl -X PUT -H "Authorization: Key $KEY" -d '${body}' ${url}`,
      disable: `curl -X DELETE -H "Authorization: Key $KEY" ${url}`,
    },
    `the user ${agentUsername} still has the built-in password, and other machines can reach this backend: anyone can send events for any entity. Change it, and start agents with --password <new>`,
  );
};
