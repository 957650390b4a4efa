// Who listens to what: for each namespace and subscription, the sessions that hold it. A check request asks this index
// for the sessions it must reach; a session that shares two subscriptions with a check is found once.

const topic = (namespace: string, subscription: string): string => `${namespace}/${subscription}`;

export class SubscriptionIndex<TSession> {
  readonly #holders = new Map<string, Set<TSession>>();
  readonly #held = new Map<TSession, { readonly namespace: string; readonly subscriptions: Set<string> }>();

  /** Sets what a session listens to; what it no longer names is given up. */
  set(session: TSession, namespace: string, subscriptions: Iterable<string>): void {
    this.remove(session);
    const wanted = new Set([...subscriptions].filter((name) => name.trim() !== ''));
    this.#held.set(session, { namespace, subscriptions: wanted });
    for (const subscription of wanted) {
      const key = topic(namespace, subscription);
      const holders = this.#holders.get(key) ?? new Set<TSession>();
      holders.add(session);
      this.#holders.set(key, holders);
    }
  }

  remove(session: TSession): void {
    const held = this.#held.get(session);
    if (held === undefined) return;
    this.#held.delete(session);
    for (const subscription of held.subscriptions) {
      const key = topic(held.namespace, subscription);
      const holders = this.#holders.get(key);
      holders?.delete(session);
      if (holders?.size === 0) this.#holders.delete(key);
    }
  }

  has(session: TSession): boolean {
    return this.#held.has(session);
  }

  /** Every session that holds at least one of the subscriptions, each once. */
  reach(namespace: string, subscriptions: readonly string[]): Set<TSession> {
    const reached = new Set<TSession>();
    for (const subscription of subscriptions) {
      for (const session of this.#holders.get(topic(namespace, subscription)) ?? []) reached.add(session);
    }
    return reached;
  }

  /** The sessions of one subscription, in the order they took it. */
  holders(namespace: string, subscription: string): readonly TSession[] {
    return [...(this.#holders.get(topic(namespace, subscription)) ?? [])];
  }
}
