// An in-memory broker for connected clients: a fanout pipe delivers to all of them, a direct pipe to one after the
// other. Messages without a consumer are dropped, as with the brokers it replaces.
import type { Outlet } from '../../actors/families/client/client-requests.ts';
import type { Pipe } from '../../model/earlier/pipes.ts';
import type { ServerMessage } from '../../wire/earlier/web-socket-messages.ts';

export interface Member {
  send(message: ServerMessage): void;
}

export class Hub implements Outlet {
  readonly name = 'websocket';
  readonly kind = 'websocket';
  readonly #fanout = new Map<string, Set<Member>>();
  /** The first member is next in the rotation. */
  readonly #direct = new Map<string, Member[]>();

  isConnected(): boolean {
    return true;
  }

  /** Of all members, including direct pipes. */
  get subscriptions(): number {
    const sizes = [...this.#fanout.values()].map(({ size }) => size);
    return [...sizes, ...[...this.#direct.values()].map(({ length }) => length)].reduce(
      (sum, n) => sum + n,
      0,
    );
  }

  async publish(pipe: Pipe, message: string): Promise<void> {
    const text: ServerMessage = { type: 'message', pipe: pipe.name, message };
    if (pipe.type === 'fanout') {
      for (const member of this.#fanout.get(pipe.name) ?? []) member.send(text);
      return;
    }
    const ring = this.#direct.get(pipe.name);
    const next = ring?.shift();
    if (ring === undefined || next === undefined) return;
    ring.push(next);
    next.send(text);
  }

  subscribe({ type, name }: Pipe, member: Member): void {
    if (type === 'fanout') {
      const members = this.#fanout.get(name) ?? new Set();
      this.#fanout.set(name, members.add(member));
      return;
    }
    const ring = this.#direct.get(name) ?? [];
    if (!ring.includes(member)) ring.push(member);
    this.#direct.set(name, ring);
  }

  leave(member: Member): void {
    for (const [name, members] of this.#fanout) {
      if (members.delete(member) && members.size === 0) this.#fanout.delete(name);
    }
    for (const [name, ring] of this.#direct) {
      const left = ring.filter((one) => one !== member);
      if (left.length === 0) this.#direct.delete(name);
      else this.#direct.set(name, left);
    }
  }

  takers(name: string): number {
    return (this.#fanout.get(name)?.size ?? 0) + (this.#direct.get(name)?.length ?? 0);
  }
}
