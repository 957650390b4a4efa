// Own environment: what every command of the agent starts from.
import type { Environment } from '../program/environment.ts';

/** The agent's own variables, without those that hold its settings: a check has no business with the password. */
export const ownEnvironment = (environment: NodeJS.ProcessEnv = process.env): Environment =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined || name === 'MON_PASSWORD' ? [] : [[name, value] as const],
    ),
  );
