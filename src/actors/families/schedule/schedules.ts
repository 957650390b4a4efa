// One schedule actor for every check definition, kept in step with the resource table: a definition that comes, changes or
// goes takes effect at once.
import { shardOfKey } from '../../../cluster/shards.ts';
import type { ScheduleContext, ScheduleFact } from '../../../machines/schedule/schedule-facts.ts';
import type { CheckConfig } from '../../../model/check/check.ts';
import type { HostedShards } from '../../durable/hosted-shards.ts';
import type { Configuration } from '../../resources/configuration.ts';
import type { Faults } from '../../runtime/inspection/facts.ts';
import type { Families } from '../kit/families.ts';
import type { FamilyActors } from '../kit/family-actors.ts';
import { type ScheduleIdentity, type SchedulePorts, scheduleFamily } from './schedule-family.ts';

export interface SchedulesPorts extends Pick<SchedulePorts, 'issue'> {
  readonly families: Families;
  readonly faults: Pick<Faults, 'report'>;
  readonly nowMs: () => number;
  /** In a cluster: checks of these shards are scheduled here. */
  readonly shards?: Pick<HostedShards, 'isMine'> | undefined;
}

export class Schedules {
  readonly #ports: SchedulesPorts;
  readonly #actors: FamilyActors<ScheduleIdentity, ScheduleContext, ScheduleFact>;
  /** What is defined now, by key. */
  readonly #defined = new Map<string, ScheduleIdentity>();
  #configuration: Configuration | undefined;
  #stopped = false;

  constructor(ports: SchedulesPorts) {
    this.#ports = ports;
    this.#actors = ports.families.bind(scheduleFamily, {
      config: (schedule) => this.#defined.get(scheduleFamily.key(schedule))?.config ?? schedule.config,
      issue: ports.issue,
    });
  }

  /** Starts what is defined now and follows every change from here on. */
  follow(configuration: Configuration): void {
    this.#configuration = configuration;
    for (const config of configuration.checks()) this.#define(config);
    configuration.watchChecks((namespace, name, config) => {
      if (this.#stopped) return;
      if (config === undefined) this.#remove(`${namespace}/${name}`);
      else this.#define(config);
    });
  }

  /** The checks of a shard are scheduled here from now on. */
  load(shard: number): void {
    if (this.#stopped) return;
    for (const config of this.#configuration?.checks() ?? [])
      if (shardOfKey(scheduleFamily.key(identityOf(config))) === shard) this.#define(config);
  }

  /** Another backend schedules the checks of the shard. Resolves once their actors are gone. */
  async unload(shard: number): Promise<void> {
    const left = [...this.#defined].filter(([key]) => shardOfKey(key) === shard);
    for (const [key] of left) this.#defined.delete(key);
    await Promise.all(left.map(([, schedule]) => this.#actors.stop(schedule)));
  }

  /** Revives a schedule that should run and does not: its actor is restarted, or started. */
  revive(config: CheckConfig): void {
    const schedule = this.#defined.get(scheduleFamily.key(identityOf(config)));
    if (this.#stopped || schedule === undefined) return;
    if (!this.#actors.has(schedule)) return this.#actors.start(schedule);
    this.#actors
      .restart(schedule)
      .catch((error) => this.#ports.faults.report(`starting ${this.#actors.id(schedule)} again`, error));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#defined.values()].map((schedule) => this.#actors.stop(schedule)));
  }

  #define(config: CheckConfig): void {
    const schedule = identityOf(config);
    const key = scheduleFamily.key(schedule);
    const { shards } = this.#ports;
    if (shards !== undefined && !shards.isMine(shardOfKey(key))) return;
    this.#defined.set(key, schedule);
    if (!this.#actors.has(schedule)) return this.#actors.start(schedule);
    // Deleted and made again before its actor had gone: that one hears nothing any more, so another one starts.
    this.#actors.tell(schedule, { type: 'check.defined', config, nowMs: this.#ports.nowMs() }, (outcome) => {
      if (outcome.type === 'busy' && this.#defined.get(key) === schedule) this.#actors.start(schedule);
    });
  }

  #remove(key: string): void {
    const schedule = this.#defined.get(key);
    if (schedule === undefined) return;
    this.#defined.delete(key);
    this.#actors.tell(schedule, { type: 'check.removed' });
  }
}

const identityOf = (config: CheckConfig): ScheduleIdentity => ({
  namespace: config.metadata.namespace ?? '',
  name: config.metadata.name,
  config,
});
