// Round robin: whose turn it is among the agents that hold a subscription. The ring is their names in
// alphabetical order; it may change between turns, so a turn is remembered by name, not by position.

/** The ring as every backend sees it: each agent once, in byte order. */
export const ringOf = (agents: Iterable<string>): readonly string[] => [...new Set(agents)].sort();

/** The first agent after `last`, from the start again after the end; undefined when the ring is empty. */
export const nextInRing = (ring: readonly string[], last: string | null): string | undefined =>
  ring.find((agent) => last !== null && agent > last) ?? ring[0];

/** The next `count` turns: with fewer agents than turns, some agents have several. */
export const nextTurns = (ring: readonly string[], last: string | null, count: number): readonly string[] => {
  const turns: string[] = [];
  let turn = last;
  while (turns.length < count) {
    const next = nextInRing(ring, turn);
    if (next === undefined) return turns;
    turns.push(next);
    turn = next;
  }
  return turns;
};
