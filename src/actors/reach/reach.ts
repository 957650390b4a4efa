// Reaches what lives on any backend of a cluster: something about one entity is asked of the backend where the entity lives,
// something about all is asked of all. Without a cluster every question is answered here, by a direct call.
//
// A question is sent once. It is sent again only when it surely was not handled: nobody listened, or who was asked said that the
// entity does not live there. So what is done to an entity is done at most once, and whoever gets no answer is told that the
// outcome is unknown.
import { randomUUID } from 'node:crypto';
import { BusError } from '../../cluster/bus.ts';
import { type Gathered, gather } from '../../cluster/gather.ts';
import { MonError } from '../../model/errors.ts';
import { gatherMs, homeAgainMs, homeAnswerMs, homeSearchMs, maxKeptAnswers } from './limits.ts';
import type { Peers } from './peers.ts';

/** Asked about one name: an entity with its events, a check definition, a bulk job. */
// biome-ignore lint/suspicious/noExplicitAny: the parameters of each method are its own
export type HomeMethod = (params: any) => Promise<unknown>;
/** Asked of every backend. The second parameter is the size of the largest answer. */
// biome-ignore lint/suspicious/noExplicitAny: the same
export type ShareMethod = (params: any, maxBytes: number) => Promise<unknown>;

type Params<T> = T extends (params: infer P, ...rest: never) => unknown ? P : never;
type Result<T> = T extends (...args: never) => Promise<infer R> ? R : never;

export interface ReachPorts<
  THome extends Readonly<Record<string, HomeMethod>>,
  TShare extends Readonly<Record<string, ShareMethod>>,
> {
  /** Absent: there is one backend. */
  readonly peers: Peers | undefined;
  readonly home: THome;
  readonly share: TShare;
  /** Home methods that change nothing, so that one that comes twice may be answered twice. */
  readonly reads: ReadonlySet<string>;
  readonly nowMs: () => number;
  readonly after: (delayMs: number, task: () => void) => void;
}

interface HomeQuestion {
  /** The same whenever this question arrives. */
  readonly id: string;
  readonly namespace: string;
  readonly name: string;
  readonly params: unknown;
}

/** `here` is false when what was asked about lives on another backend: nothing was done. */
type HomeAnswer = { readonly here: true; readonly value: unknown } | { readonly here: false };

export class Reach<
  THome extends Readonly<Record<string, HomeMethod>>,
  TShare extends Readonly<Record<string, ShareMethod>>,
> {
  readonly #ports: ReachPorts<THome, TShare>;
  /** By the id of the question, the latest last. */
  readonly #kept = new Map<string, Promise<unknown>>();

  constructor(ports: ReachPorts<THome, TShare>) {
    this.#ports = ports;
  }

  get peers(): Peers | undefined {
    return this.#ports.peers;
  }

  isElsewhere(namespace: string, name: string): boolean {
    return this.#ports.peers?.isHere(namespace, name) === false;
  }

  /** Answered where the name lives. Rejects with a MonError: `unavailable` when the outcome is unknown. */
  at<M extends keyof THome & string>(
    method: M,
    { namespace, name }: { readonly namespace: string; readonly name: string },
    params: Params<THome[M]>,
  ): Promise<Result<THome[M]>> {
    const { peers, home } = this.#ports;
    const local = home[method] as HomeMethod;
    if (peers === undefined || peers.isHere(namespace, name))
      return local(params) as Promise<Result<THome[M]>>;
    const question: HomeQuestion = { id: randomUUID(), namespace, name, params };
    return this.#askHome(peers, method, question) as Promise<Result<THome[M]>>;
  }

  /** The answers of all backends, and who gave none. */
  all<M extends keyof TShare & string>(
    method: M,
    params: Params<TShare[M]>,
  ): Promise<Gathered<Result<TShare[M]>>> {
    return gather(this.backends(), (backend) => this.one(backend, method, params));
  }

  /** The answer of one backend. Rejects with a BusError or a MonError. */
  one<M extends keyof TShare & string>(
    backend: string,
    method: M,
    params: Params<TShare[M]>,
  ): Promise<Result<TShare[M]>> {
    const { peers, share } = this.#ports;
    if (peers === undefined || backend === peers.name)
      return (share[method] as ShareMethod)(params, Number.POSITIVE_INFINITY) as Promise<Result<TShare[M]>>;
    return peers.ask(backend, { method, params }, gatherMs) as Promise<Result<TShare[M]>>;
  }

  /** Those that serve, this one included. */
  backends(): readonly string[] {
    return this.#ports.peers?.backends() ?? [''];
  }

  /** What other backends may ask of this one. */
  answers(): Readonly<Record<string, (params: unknown, maxBytes: number) => Promise<unknown>>> {
    const home = Object.entries(this.#ports.home).map(([method, local]) => [
      method,
      (question: unknown) => this.#answerHome(method, local, question as HomeQuestion),
    ]);
    return { ...Object.fromEntries(home), ...this.#ports.share };
  }

  async #answerHome(
    method: string,
    local: HomeMethod,
    { id, namespace, name, params }: HomeQuestion,
  ): Promise<HomeAnswer> {
    const { peers, reads } = this.#ports;
    if (peers?.isHere(namespace, name) !== true && !this.#kept.has(id)) return { here: false };
    const value = reads.has(method) ? await local(params) : await this.#once(id, () => local(params));
    return { here: true, value };
  }

  /** A question that comes twice gets the same answer, and is handled once. */
  #once(id: string, work: () => Promise<unknown>): Promise<unknown> {
    const before = this.#kept.get(id);
    if (before !== undefined) return before;
    const working = work();
    this.#kept.set(id, working);
    if (this.#kept.size > maxKeptAnswers)
      for (const oldest of this.#kept.keys()) {
        this.#kept.delete(oldest);
        break;
      }
    return working;
  }

  async #askHome(peers: Peers, method: string, question: HomeQuestion): Promise<unknown> {
    const { namespace, name, params } = question;
    const untilMs = this.#ports.nowMs() + homeSearchMs;
    for (;;) {
      if (peers.isHere(namespace, name)) return (this.#ports.home[method] as HomeMethod)(params);
      const answer = await this.#askOnce(peers, method, question);
      if (answer?.here === true) return answer.value ?? undefined;
      if (this.#ports.nowMs() >= untilMs)
        throw new MonError('unavailable', `no backend serves ${namespace}/${name} at the moment; try again`);
      peers.lookUpAgain(namespace, name);
      await new Promise<void>((resolve) => this.#ports.after(homeAgainMs, resolve));
    }
  }

  /** Undefined when nobody got the question. */
  async #askOnce(peers: Peers, method: string, question: HomeQuestion): Promise<HomeAnswer | undefined> {
    const backend = peers.homeOf(question.namespace, question.name);
    if (backend === undefined || backend === peers.name) return undefined;
    try {
      return (await peers.ask(backend, { method, params: question }, homeAnswerMs)) as HomeAnswer;
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      if (error.code === 'nobodyListens') return undefined;
      if (error.code === 'tooLarge') throw new MonError('tooLarge', error.message, { cause: error });
      throw new MonError(
        'unavailable',
        `the backend ${backend}, where ${question.namespace}/${question.name} lives, gave no answer: a change may have taken effect`,
        { cause: error },
      );
    }
  }
}
