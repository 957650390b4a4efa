// Checks that are withheld: due, yet not sent, because a secret can't be resolved or because an agent has no mutual TLS, and
// secrets travel only to those that have. Kept from one run to the next, so that people see it where they look.
import type { CheckConfig } from '../../model/check/check.ts';
import { entityKey } from '../../model/resource/names.ts';
import type { Problem } from '../../model/resource/problems.ts';

/** Most agents named in one sentence. */
const maxNamedAgents = 5;

interface State {
  why: string | undefined;
  readonly agents: Set<string>;
  /** Those of the run before. */
  readonly before: ReadonlySet<string>;
}

/** `a, b and 3 more` */
const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, maxNamedAgents).join(', ');
  return names.length > maxNamedAgents ? `${shown} and ${names.length - maxNamedAgents} more` : shown;
};

export const untrustedMessage = (agents: readonly string[]): string =>
  `not sent to ${listed([...agents].sort())}: the check has secrets, and they travel only over mutual TLS; ` +
  'give the agent a certificate (--cert-file, --key-file) and the backend --agent-auth-trusted-ca-file';

export const unresolvedMessage = (why: string): string =>
  `not sent to any agent: a secret can't be resolved (${why})`;

export class Withheld {
  readonly #states = new Map<string, State>();

  /**
   * A run starts over: what kept the one before from going out is forgotten. `why`: it does not go out at all. True when
   * that differs from the run before, so that it is logged once and not at every run.
   */
  begin(namespace: string, check: string, why?: string): boolean {
    const key = entityKey(namespace, check);
    const before = this.#states.get(key);
    if (why === undefined && before === undefined) return false;
    this.#states.set(key, { why, agents: new Set(), before: before?.agents ?? new Set() });
    return before?.why !== why;
  }

  /** An agent was left out for want of mutual TLS. True unless it was so in the run before, or already in this one. */
  untrusted(namespace: string, check: string, agent: string): boolean {
    const key = entityKey(namespace, check);
    const state = this.#states.get(key) ?? { why: undefined, agents: new Set(), before: new Set() };
    const isNew = !state.agents.has(agent) && !state.before.has(agent);
    state.agents.add(agent);
    this.#states.set(key, state);
    return isNew;
  }

  forget(namespace: string, check: string): void {
    this.#states.delete(entityKey(namespace, check));
  }

  problems({ metadata: { namespace = '', name } }: Pick<CheckConfig, 'metadata'>): readonly Problem[] {
    const state = this.#states.get(entityKey(namespace, name));
    if (state === undefined || (state.why === undefined && state.agents.size === 0)) return [];
    const message =
      state.why === undefined ? untrustedMessage([...state.agents]) : unresolvedMessage(state.why);
    return [{ why: 'withheld', field: 'secrets', message }];
  }
}
