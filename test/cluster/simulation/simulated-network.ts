// The network between a simulated backend and the store or the other backends: it cuts, loses, doubles, and delivers late, so
// that messages overtake each other.
import type { World } from './world.ts';

export interface Link {
  readonly isCut: boolean;
  /** The part of messages that is lost, and of those that arrive twice. */
  readonly loss: number;
  readonly doubling: number;
  /** The part of messages that is late, and by how much at most. */
  readonly late: number;
  readonly delayMs: number;
}

export const calm: Link = { isCut: false, loss: 0, doubling: 0, late: 0, delayMs: 0 };

export interface Network {
  link(name: string): Link;
  /** From now on for a while. */
  disturb(name: string, link: Link, forMs: number): void;
  /** Ends every disturbance, and what is still on its way: a late beat of a dead member would pass for life. */
  calmDown(): void;
  /** Applied never, once or twice; the reply may be lost or late. */
  send<T>(name: string, apply: () => T, onReply?: (reply: T) => void): void;
}

export const createNetwork = (world: World): Network => {
  const links = new Map<string, Link>();
  let isCalm = false;
  const linkOf = (name: string): Link => links.get(name) ?? calm;
  const delay = ({ late, delayMs }: Link): number =>
    world.chance(late) ? world.between(1, delayMs) : world.between(1, 10);
  return {
    link: linkOf,
    disturb(name, link, forMs) {
      if (isCalm) return;
      links.set(name, link);
      world.after(forMs, () => {
        if (links.get(name) === link) links.delete(name);
      });
    },
    calmDown() {
      isCalm = true;
      links.clear();
    },
    send(name, apply, onReply) {
      const wasCalm = isCalm;
      const isOver = (): boolean => isCalm && !wasCalm;
      const attempt = (isFirst: boolean): void => {
        const link = linkOf(name);
        if (link.isCut || world.chance(link.loss)) return;
        world.after(delay(link), () => {
          if (isOver()) return;
          const reply = apply();
          const back = linkOf(name);
          if (!isFirst || onReply === undefined || back.isCut || world.chance(back.loss)) return;
          world.after(delay(back), () => {
            if (!isOver()) onReply(reply);
          });
        });
      };
      attempt(true);
      if (world.chance(linkOf(name).doubling)) attempt(false);
    },
  };
};
