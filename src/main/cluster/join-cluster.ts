// Joins a cluster: becomes a member in the store, and gives the backend what it needs to serve its share: the shards that it
// hosts, a way to the others, and the configuration that all of them hold. Used by `mon-backend start`.
import { randomUUID } from 'node:crypto';
import type { Backend } from '../../actors/backend.ts';
import type { ShardHosting } from '../../actors/compose/dependencies.ts';
import { HostedShards } from '../../actors/durable/hosted-shards.ts';
import { realClock } from '../../actors/runtime/time/clock.ts';
import { ask } from '../../cluster/ask.ts';
import type { Bus, BusReport } from '../../cluster/bus.ts';
import { Forwarder, type ShardOwner } from '../../cluster/forward.ts';
import { busCheckMs } from '../../cluster/limits.ts';
import { type MemberRunner, runMember, type ShardHost } from '../../cluster/member-runner.ts';
import { Receiver } from '../../cluster/receive.ts';
import type { Api } from '../../http/api.ts';
import type { MemberView } from '../../http/routes/operations.ts';
import { component, type Logger } from '../../program/log.ts';
import type { SharedStore } from '../../store/record-fence.ts';
import type { ClusterSettings } from './cluster-settings.ts';
import { type ClusterStatus, clusterStatus } from './cluster-status.ts';
import { forwardEvents, takeForwarded } from './event-forwarding.ts';
import { openBus } from './open-bus.ts';
import { answerPeers, peersOverBus } from './peers.ts';
import { fenceOf } from './record-fence.ts';
import { type SharedConfiguration, shareConfiguration } from './shared-configuration.ts';

export interface JoinOptions {
  readonly settings: ClusterSettings;
  readonly store: SharedStore;
  readonly version: string;
  /** Its API as others reach it. */
  readonly api: string;
  readonly log: Logger;
  /** The others declared this backend dead: it has to end. */
  readonly onLost: (error: Error) => void;
}

const nameOf = (incarnation: string): string => incarnation.slice(0, incarnation.lastIndexOf('.'));

/** Resolves once this backend is a member with a fresh heartbeat. Rejects with an error that says what to do. */
export const joinCluster = async (options: JoinOptions): Promise<Membership> => {
  const log = component(options.log, 'cluster');
  const report: BusReport = (level, message) => log[level](message);
  const membership = new Membership(options, await openBus(options.settings, report), log);
  try {
    await membership.joined();
    return membership;
  } catch (error) {
    await membership.close();
    throw error;
  }
};

export class Membership {
  readonly #options: JoinOptions;
  readonly #bus: Bus;
  readonly #report: BusReport;
  readonly #incarnation: string;
  readonly #runner: MemberRunner;
  readonly #forwarder: Forwarder;
  readonly #shared: SharedConfiguration;
  /** Undone at the end, in this order. */
  readonly #ends: (() => void)[];
  readonly #shards = new HostedShards();
  #hostShards: (host: ShardHost) => void = () => {};
  #hasEnded = false;
  #isDraining = false;
  #wasReady = false;
  #staleWrites = 0;

  constructor(options: JoinOptions, bus: Bus, log: Logger) {
    const { settings, store } = options;
    const { name, subjects } = settings;
    this.#options = options;
    this.#bus = bus;
    this.#report = (level, message) => log[level](message);
    this.#incarnation = `${name}.${randomUUID()}`;
    this.#runner = this.#run(log);
    store.fenceWith(fenceOf(this.#shards, this.#runner));
    this.#forwarder = new Forwarder({
      bus,
      clock: realClock,
      sender: this.#incarnation,
      subjectOf: subjects.shards,
      ownerOf: (shard) => this.#ownerOf(shard),
      lookUpAgain: () => this.#runner.poked(),
      report: this.#report,
    });
    this.#shared = shareConfiguration({
      store,
      bus,
      subject: subjects.changed,
      clock: realClock,
      random: Math.random,
      sender: this.#incarnation,
      report: this.#report,
    });
    this.#ends = [
      bus.subscribe(subjects.leases, () => this.#runner.poked()),
      () => this.#shared.close(),
      () => this.#forwarder.close(),
    ];
  }

  joined(): Promise<void> {
    return this.#runner.confirm();
  }

  /** What a backend that is a member is opened with. */
  ofBackend() {
    const hosting: ShardHosting = {
      shards: this.#shards,
      records: this.#options.store,
      onStale: () => {
        this.#staleWrites += 1;
        this.#runner.poked();
      },
    };
    const isMine = (shard: number): boolean => this.#isMine(shard);
    const peers = peersOverBus({
      bus: this.#bus,
      subjects: this.#options.settings.subjects,
      name: this.#options.settings.name,
      backends: () => [...new Set(this.status().members.map((member) => member.name))],
      isMine,
      ownerOf: (shard) => this.#ownerOf(shard),
      lookUpAgain: () => this.#runner.poked(),
    });
    return {
      hosting,
      elsewhere: forwardEvents(this.#forwarder, isMine),
      shared: this.#shared.records,
      peers,
    };
  }

  /** From here on it follows the others, takes its shards, and answers. */
  serve(backend: Backend, api: Pick<Api, 'logins'>): void {
    const { name, subjects } = this.#options.settings;
    const bus = this.#bus;
    this.#shared.follow({ table: backend.resources, logins: api.logins });
    const receiver = new Receiver({
      bus,
      subject: subjects.shards(name),
      clock: realClock,
      ports: {
        holds: (shard) => ({ isMine: this.#isMine(shard), epoch: this.#runner.member.epochOf(shard) }),
        apply: takeForwarded((offered, receipt) => backend.takeEvent(offered, receipt)),
      },
      report: this.#report,
    });
    const own = {
      'member.status': async () => this.#view(),
      // As a service manager does: the program drains and ends.
      'member.drain': async () => process.kill(process.pid, 'SIGTERM'),
    };
    const stopAnswers = answerPeers(
      { bus, subjects, name },
      { answers: { ...backend.answers, ...own } as Backend['answers'] },
    );
    this.#ends.unshift(() => receiver.close(), stopAnswers);
    if (backend.shards !== undefined) this.#hostShards(backend.shards);
  }

  status(): ClusterStatus {
    const status = clusterStatus({
      name: this.#options.settings.name,
      incarnation: this.#incarnation,
      member: this.#runner.member,
      now: this.#runner.now(),
      shards: this.#shards,
      bus: this.#bus.status(),
      isDraining: this.#isDraining,
      wasReady: this.#wasReady,
      staleWrites: this.#staleWrites,
    });
    this.#wasReady ||= status.why === undefined;
    return status;
  }

  /** Of all members, also those that do not answer. */
  views(): Promise<readonly MemberView[]> {
    const { members, name: own } = this.status();
    return Promise.all(
      members.map(async ({ name, state, isQuiet }): Promise<MemberView> => {
        if (name === own) return this.#view();
        try {
          return (await this.#askMember(name, 'member.status')) as MemberView;
        } catch (error) {
          const why = isQuiet ? 'its heartbeat in the store does not move' : (error as Error).message;
          return { name, state, shards: null, why };
        }
      }),
    );
  }

  /** Asks a member to hand over its shards and to end. Rejects with a BusError or MonError. */
  async drainMember(name: string): Promise<void> {
    await this.#askMember(name, 'member.drain');
  }

  /** Hands over all shards; resolves once others may own them. */
  drain(): Promise<void> {
    this.#isDraining = true;
    return this.#runner.drain();
  }

  async close(): Promise<void> {
    this.#hasEnded = true;
    for (const end of this.#ends) end();
    this.#runner.halt();
    await this.#bus.drain(busCheckMs);
  }

  #run(log: Logger): MemberRunner {
    const { settings, store, onLost } = this.#options;
    const host = new Promise<ShardHost>((resolve) => {
      this.#hostShards = resolve;
    });
    return runMember({
      incarnation: this.#incarnation,
      name: settings.name,
      leases: store.leases,
      clock: realClock,
      // Shards are claimed while the backend still starts; they are loaded as soon as it can.
      host: {
        load: async (shard, epoch) => (await host).load(shard, epoch),
        stop: async (shard, epoch) => (await host).stop(shard, epoch),
        drop: async (shard, epoch) => (await host).drop(shard, epoch),
      },
      poke: () => {
        if (this.#bus.status().state === 'connected')
          this.#bus.publish(settings.subjects.leases, Buffer.alloc(0));
      },
      onRead: () => this.#forwarder.ownersChanged(),
      onFault: (error) => log.warn({ err: error }, 'a step of the membership failed; it is tried again'),
      onLost: () => {
        const why =
          'the other members declared this backend dead, since its heartbeat in the store did not move for too long';
        if (!this.#hasEnded) onLost(new Error(why));
      },
    });
  }

  #ownerOf(shard: number): ShardOwner | undefined {
    const { member } = this.#runner;
    const owner = member.ownerOf(shard);
    return owner === '' ? undefined : { backend: nameOf(owner), epoch: member.epochOf(shard) };
  }

  #isMine(shard: number): boolean {
    return this.#shards.isMine(shard) && this.#runner.member.accepts(shard, this.#runner.now()) !== undefined;
  }

  #askMember(name: string, method: string): Promise<unknown> {
    const subject = this.#options.settings.subjects.ask(name);
    return ask(this.#bus, subject, { method, params: {} }, busCheckMs);
  }

  #view(): MemberView {
    const { name, state, shards, moving, why } = this.status();
    const { api, version } = this.#options;
    return { name, state, shards, moving, api, version, ...(why === undefined ? {} : { why }) };
  }
}
