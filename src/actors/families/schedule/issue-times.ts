// When a check was last asked for. Agents tell the requests of one check apart by the second they were issued in, and drop the
// second of two: who asks for a check that just ran is served in the next second instead.
import type { CheckConfig } from '../../../model/check/check.ts';

const keyOf = ({ metadata }: CheckConfig): string => `${metadata.namespace}/${metadata.name}`;

export class IssueTimes {
  readonly #last = new Map<string, number>();

  /** A request goes out; `issued` in Unix seconds. */
  note(config: CheckConfig, issued: number): void {
    this.#last.set(keyOf(config), issued);
  }

  /** The second a request of now is issued in, and how long until then, in milliseconds. */
  next(config: CheckConfig, nowMs: number): { readonly issued: number; readonly delayMs: number } {
    const now = Math.floor(nowMs / 1000);
    if (this.#last.get(keyOf(config)) !== now) return { issued: now, delayMs: 0 };
    return { issued: now + 1, delayMs: (now + 1) * 1000 - nowMs };
  }

  forget(namespace: string, name: string): void {
    this.#last.delete(`${namespace}/${name}`);
  }
}
