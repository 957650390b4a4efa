// The base environment of all commands of the agent.
import type { Environment } from '../program/environment.ts';

/** The agent's environment without its own settings, which include its password. */
export const ownEnvironment = (environment: NodeJS.ProcessEnv = process.env): Environment =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || name === 'MON_PASSWORD' ? [] : [[name, value] as const],
    ),
  );
