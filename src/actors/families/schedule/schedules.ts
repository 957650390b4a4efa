// One schedule actor for every check definition, kept in step with the resource table: a definition that comes, changes or
// goes takes effect at once.
import type { ScheduleFact } from '../../../machines/schedule/schedule-facts.ts';
import type { CheckConfig } from '../../../model/check.ts';
import type { Configuration } from '../../configuration.ts';
import type { ActorId, Behaviour } from '../../runtime/contract.ts';
import type { Runtime } from '../../runtime/runtime.ts';
import { scheduleBehaviour } from './schedule-behaviour.ts';

export const schedulesId: ActorId = 'schedules';

export const scheduleId = (namespace: string, name: string): ActorId => `schedule:${namespace}/${name}`;

export interface SchedulesPorts {
  readonly runtime: Runtime;
  readonly nowMs: () => number;
  readonly issue: (config: CheckConfig, issuedSeconds: number) => void;
}

export class Schedules {
  readonly #ports: SchedulesPorts;
  readonly #configs = new Map<ActorId, CheckConfig>();
  #stopped = false;

  constructor(ports: SchedulesPorts) {
    this.#ports = ports;
  }

  /** Starts what is defined now and follows every change from here on. */
  follow(configuration: Configuration): void {
    for (const config of configuration.checks()) {
      this.#define(config.metadata.namespace ?? '', config.metadata.name, config);
    }
    configuration.watchChecks((namespace, name, config) => {
      if (this.#stopped) return;
      if (config === undefined) this.#remove(scheduleId(namespace, name));
      else this.#define(namespace, name, config);
    });
  }

  /** Gets a schedule going that should run and does not: its actor begins anew, or comes to be. */
  revive(config: CheckConfig): void {
    const { runtime } = this.#ports;
    const id = scheduleId(config.metadata.namespace ?? '', config.metadata.name);
    if (this.#stopped || !this.#configs.has(id)) return;
    if (!runtime.registry.has(id)) return this.#start(id, config);
    this.#supervisor()
      ?.restartChild(id)
      .catch((error) => runtime.faults.report(`starting ${id} again`, error));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([...this.#configs.keys()].map((id) => this.#supervisor()?.stopChild(id)));
  }

  #define(namespace: string, name: string, config: CheckConfig): void {
    const id = scheduleId(namespace, name);
    const { runtime, nowMs } = this.#ports;
    this.#configs.set(id, config);
    if (runtime.registry.has(id)) {
      const fact: ScheduleFact = { type: 'check.defined', config, nowMs: nowMs() };
      // Deleted and made again before its actor had gone: that one hears nothing any more, so another one starts.
      return runtime.registry.tell(id, fact, (outcome) => {
        if (outcome.type === 'busy' && this.#configs.get(id) === config) this.#start(id, config);
      });
    }
    this.#start(id, config);
  }

  #start(id: ActorId, config: CheckConfig): void {
    const { nowMs, issue } = this.#ports;
    const behaviour = scheduleBehaviour({ nowMs, issue, config: () => this.#configs.get(id) ?? config });
    this.#supervisor()?.startChild({ id, restart: 'transient', behaviour: behaviour as Behaviour });
  }

  #remove(id: ActorId): void {
    this.#configs.delete(id);
    this.#ports.runtime.registry.tell(id, { type: 'check.removed' } as ScheduleFact);
  }

  #supervisor() {
    return this.#ports.runtime.supervisor(schedulesId);
  }
}
