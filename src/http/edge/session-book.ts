// All agent connections of this listener. Each agent has one session; a newer one replaces the older. Also
// distributes pings over their interval, forwards backpressure, and closes all sessions at shutdown.
import type { AgentConnection } from './agent-connection.ts';
import type { EdgeCounts } from './counts.ts';
import { closeCodes } from './limits.ts';

const pingRounds = 10;

export class SessionBook {
  readonly #byAgent = new Map<string, AgentConnection>();
  /** All sessions that are not closed yet, including replaced ones, grouped by ping round. */
  readonly #rounds = Array.from({ length: pingRounds }, () => new Set<AgentConnection>());
  readonly #counts: EdgeCounts;
  readonly #pinger: NodeJS.Timeout;
  #entered = 0;
  #round = 0;
  #live = 0;
  #lastGone = (): void => {};

  constructor(counts: EdgeCounts, pingIntervalMs: number) {
    this.#counts = counts;
    this.#pinger = setInterval(() => this.#pingNext(), pingIntervalMs / pingRounds);
    this.#pinger.unref();
  }

  /** Number of connected agents. */
  get size(): number {
    return this.#byAgent.size;
  }

  /** Adds a session and closes an older one of the same agent. Returns a function that removes the new one. */
  enter(agent: string, connection: AgentConnection, from: string): () => void {
    const older = this.#byAgent.get(agent);
    this.#byAgent.set(agent, connection);
    if (older !== undefined) {
      this.#counts.replaced += 1;
      older.close(closeCodes.replaced, `replaced by a newer session of ${agent} from ${from}`);
    }
    const round = this.#rounds[this.#entered % pingRounds];
    this.#entered += 1;
    this.#live += 1;
    round?.add(connection);
    return () => {
      round?.delete(connection);
      if (this.#byAgent.get(agent) === connection) this.#byAgent.delete(agent);
      this.#live -= 1;
      if (this.#live === 0) this.#lastGone();
    };
  }

  /** Call after a change of pressure: every session re-evaluates whether to read. */
  adjustReading(): void {
    for (const connection of this.#byAgent.values()) connection.adjustReading();
  }

  /** Call after users or rules changed: closes sessions that are no longer allowed. */
  dismissUnwelcome(): void {
    for (const connection of this.#byAgent.values()) {
      const { user, mayStay } = connection.options;
      if (!mayStay())
        connection.close(closeCodes.policyViolation, `user ${user} is no longer allowed to connect`);
    }
  }

  /** Sends `bye` to all agents. Resolves when all sessions are closed. */
  sayBye(): Promise<void> {
    clearInterval(this.#pinger);
    this.#each((connection) => connection.close(closeCodes.goingAway, 'bye'));
    if (this.#live === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#lastGone = resolve;
    });
  }

  /** Disconnects sessions that did not close in time. */
  cutOff(): void {
    this.#each((connection) => connection.options.socket.terminate());
  }

  #pingNext(): void {
    this.#round = (this.#round + 1) % pingRounds;
    for (const connection of this.#rounds[this.#round] ?? []) connection.ping();
  }

  #each(act: (connection: AgentConnection) => void): void {
    for (const round of this.#rounds) for (const connection of round) act(connection);
  }
}
