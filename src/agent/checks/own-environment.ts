// The base environment of all commands of the agent.
import type { Environment } from '../../program/environment.ts';

/** The agent's password, and how its unit has memory returned (packaging/linux/mon-agent.service). */
const forTheAgentAlone: ReadonlySet<string> = new Set(['MON_PASSWORD', 'MALLOC_MMAP_THRESHOLD_']);

/** The agent's environment without what is for the agent alone. */
export const ownEnvironment = (environment: NodeJS.ProcessEnv = process.env): Environment =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || forTheAgentAlone.has(name) ? [] : [[name, value] as const],
    ),
  );
