// The session book: every agent connection of this listener. One session an agent: the newer one wins. It also spreads
// the pings over their interval, passes the brakes on, and sees everybody off at the end.
import type { AgentConnection } from './agent-connection.ts';
import type { EdgeCounts } from './counts.ts';
import { closeCodes } from './limits.ts';

const pingRounds = 10;

export class SessionBook {
  readonly #byAgent = new Map<string, AgentConnection>();
  /** All whose end was not seen yet, replaced ones too, by the round in which they are pinged. */
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

  /** Agents connected now. */
  get size(): number {
    return this.#byAgent.size;
  }

  /** Enters a session. An older one of the same agent is told why it ends. Returns how to take this one out. */
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

  /** After the pressure changed: everybody decides again whether to read. */
  adjustReading(): void {
    for (const connection of this.#byAgent.values()) connection.adjustReading();
  }

  /** After users or rules changed: whoever would no longer be let in goes. */
  dismissUnwelcome(): void {
    for (const connection of this.#byAgent.values()) {
      const { user, mayStay } = connection.options;
      if (!mayStay()) connection.close(closeCodes.policyViolation, `user ${user} may no longer connect`);
    }
  }

  /** Says `bye` to everybody. Resolves when all are gone. */
  sayBye(): Promise<void> {
    clearInterval(this.#pinger);
    this.#each((connection) => connection.close(closeCodes.goingAway, 'bye'));
    if (this.#live === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#lastGone = resolve;
    });
  }

  /** For those who did not go when told. */
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
