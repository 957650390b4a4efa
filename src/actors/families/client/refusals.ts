// Clients whose messages are refused. Over a broker nobody can answer them, so operators are notified: by an event of the
// platform, which names them and the reasons, and is OK again once nothing was refused for a while.
import type { Finding } from '../../platform/platform-events.ts';
import { maxRefusedKept, maxRefusedShown, refusalKeptMs, refusalLookMs } from './limits.ts';

export const refusalsCheckName = 'earlier-clients';

export interface RefusalsPorts {
  readonly nowMs: () => number;
  readonly after: (delayMs: number, task: () => void) => void;
  readonly reportFinding: (finding: Finding) => Promise<void>;
  /** The status of the last such event, which an earlier process may have left; undefined without one. */
  readonly lastStatus: () => number | undefined;
  readonly onFault: (what: string, error: unknown) => void;
}

interface Refusal {
  readonly why: string;
  readonly atMs: number;
}

export class Refusals {
  readonly #ports: RefusalsPorts;
  /** By the name of the client, the one refused longest ago first. */
  readonly #refused = new Map<string, Refusal>();
  #count = 0;
  #told: string | undefined;
  /** Which timer counts: of several that were set only the last one looks, so that nothing hangs on when we started. */
  #timer = 0;

  constructor(ports: RefusalsPorts) {
    this.#ports = ports;
    this.#lookAfter(refusalKeptMs);
  }

  /** Messages refused since the start. */
  get count(): number {
    return this.#count;
  }

  note(client: string, why: string): void {
    this.#count += 1;
    this.#refused.delete(client);
    this.#refused.set(client, { why, atMs: this.#ports.nowMs() });
    for (const [oldest] of this.#refused) {
      if (this.#refused.size <= maxRefusedKept) break;
      this.#refused.delete(oldest);
    }
    if (this.#told === undefined) this.#look();
  }

  #lookAfter(delayMs: number): void {
    this.#timer += 1;
    const mine = this.#timer;
    this.#ports.after(delayMs, () => {
      if (mine === this.#timer) this.#look();
    });
  }

  #look(): void {
    const { nowMs, lastStatus } = this.#ports;
    const oldestMs = nowMs() - refusalKeptMs;
    for (const [client, { atMs }] of this.#refused) if (atMs <= oldestMs) this.#refused.delete(client);
    if (this.#refused.size > 0) {
      this.#tell({ status: 1, output: describe(this.#refused) });
      return this.#lookAfter(refusalLookMs);
    }
    const wasTold = this.#told !== undefined || (lastStatus() ?? 0) > 0;
    if (wasTold) this.#tell({ status: 0, output: 'the messages of all clients are taken' });
    this.#told = undefined;
  }

  #tell(finding: Omit<Finding, 'check'>): void {
    if (this.#told === finding.output) return;
    this.#told = finding.output;
    this.#ports
      .reportFinding({ check: refusalsCheckName, ...finding })
      .catch((error) => this.#ports.onFault('an event about refused clients', error));
  }
}

const describe = (refused: ReadonlyMap<string, Refusal>): string => {
  const lines = [...refused].map(([client, { why }]) => `${client}: ${why}`).sort();
  const more = lines.length - maxRefusedShown;
  const shown = [...lines.slice(0, maxRefusedShown), ...(more > 0 ? [`and ${more} more`] : [])];
  return `messages of ${refused.size} clients of the earlier generation are refused\n${shown.join('\n')}`;
};
