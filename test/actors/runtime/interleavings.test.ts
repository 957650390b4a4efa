// Async begins and cleanups that finish in any order, while actors are started, stopped, restarted and crash: whatever the
// order, there is never more than one life of an id, every life that began ends, and who should be there is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Supervisor } from '../../../src/actors/runtime/supervision/supervisor.ts';
import { fc } from '../../property.ts';
import { counterSpec, type Stage, stage } from './counter.ts';

const ids = ['a', 'b', 'c'];

type Command =
  | { readonly do: 'start' | 'stop' | 'restart' | 'crash'; readonly id: string }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'restartAll' };

const anyCommand: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'start' as const,
        'start' as const,
        'stop' as const,
        'restart' as const,
        'crash' as const,
      ),
      id: fc.constantFrom(...ids),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('advance' as const), ms: fc.constantFrom(10, 1_500, 40_000) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restartAll' as const) }) },
);

/** What a begin does when its turn comes. */
type Fate = 'ok' | 'fails';

class Scene {
  readonly set: Stage = stage({ intensity: 1_000 });
  readonly inner: Supervisor;
  /** Lives that began and have not ended, by id. */
  readonly open = new Map<string, number>();
  readonly wanted = new Set<string>();
  readonly pending: Promise<unknown>[] = [];
  /** Begun while the cleanup of the life before was still under way. */
  readonly tooEarly: string[] = [];
  readonly #cleaning = new Set<string>();
  readonly #scheduler: fc.Scheduler;
  readonly #fates: Iterator<Fate>;

  constructor(scheduler: fc.Scheduler, fates: Iterator<Fate>) {
    this.#scheduler = scheduler;
    this.#fates = fates;
    const started = this.set.root.startSupervisor({
      id: 'inner',
      strategy: 'one_for_one',
      whenFailing: 'quarantine',
    });
    assert.ok(started.started);
    this.inner = started.supervisor;
  }

  obey(command: Command): void {
    if (command.do === 'start') this.#start(command.id);
    else if (command.do === 'stop') this.#stop(command.id);
    else if (command.do === 'restart') this.#later(this.inner.restartChild(command.id));
    else if (command.do === 'crash') this.set.runtime.registry.tell(command.id, { type: 'boom' });
    else if (command.do === 'advance') this.set.clock.advance(command.ms);
    else this.#later(this.set.root.restartChild('inner'));
    this.set.clock.runTurns();
  }

  /** Until nothing is left to finish, however often finishing one thing begins another. */
  async comeToRest(): Promise<void> {
    for (let round = 0; round < 6; round += 1) {
      while (this.#scheduler.count() > 0) await this.#scheduler.waitOne();
      await this.set.clock.settle();
      this.set.clock.advance(75_000);
    }
    while (this.#scheduler.count() > 0) await this.#scheduler.waitOne();
    await this.set.clock.settle();
  }

  #start(id: string): void {
    const spec = counterSpec(
      id,
      { shutdownMs: 1e9, startTimeoutMs: 1e9 },
      {
        begin: () => this.#begin(id),
        firstMessage: () => {
          const before = this.open.get(id) ?? 0;
          this.open.set(id, before + 1);
          return undefined;
        },
        end: (_actor, reason) => {
          this.open.set(id, (this.open.get(id) ?? 0) - 1);
          return this.#cleanUp(id, reason.type === 'shutdown');
        },
      },
    );
    if (this.inner.startChild(spec).started) this.wanted.add(id);
  }

  /** The cleanup of a life that was asked to end is awaited before another begins; after a crash it is not. */
  async #cleanUp(id: string, isAwaited: boolean): Promise<void> {
    if (isAwaited) this.#cleaning.add(id);
    await this.#scheduler.schedule(Promise.resolve(), `end ${id}`);
    if (isAwaited) this.#cleaning.delete(id);
  }

  async #begin(id: string): Promise<{ input: unknown }> {
    if (this.#cleaning.has(id)) this.tooEarly.push(id);
    const fate = this.#fates.next().value ?? 'ok';
    await this.#scheduler.schedule(Promise.resolve(), `begin ${id}`);
    if (fate === 'fails') throw new Error('no origin');
    return { input: {} };
  }

  #stop(id: string): void {
    this.wanted.delete(id);
    this.#later(this.inner.stopChild(id));
  }

  #later(promise: Promise<unknown>): void {
    // A restart of who is not there is refused; that is another test's business.
    this.pending.push(promise.catch((error: { kind?: string }) => assert.equal(error.kind, 'notFound')));
  }
}

test('begins and cleanups that finish in any order leave one life of each that should be there', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(anyCommand, { maxLength: 25 }),
      fc.infiniteStream(fc.constantFrom<Fate>('ok', 'ok', 'ok', 'fails')),
      async (scheduler, commands, fates) => {
        const scene = new Scene(scheduler, fates[Symbol.iterator]());
        scheduler.scheduleSequence(
          commands.map((command) => ({
            label: JSON.stringify(command),
            builder: async () => {
              scene.obey(command);
              for (const [id, lives] of scene.open)
                assert.ok(lives === 0 || lives === 1, `${lives} of ${id}`);
            },
          })),
        );
        await scene.comeToRest();
        await Promise.all(scene.pending);
        const { runtime, clock, root } = scene.set;
        const children = scene.inner.children().map(({ id, state }) => `${id} ${state}`);
        // A begin that fails for ever keeps its actor on the way back: that is where it should be, too.
        const settled = children.map((child) => child.replace(/ (backingOff|quarantined)$/, ' up'));
        assert.deepEqual(settled.sort(), [...scene.wanted].map((id) => `${id} up`).sort());
        for (const id of ids) {
          const isUp = scene.inner.child(id)?.state === 'up';
          assert.equal(scene.open.get(id) ?? 0, isUp ? 1 : 0, id);
          assert.equal(runtime.registry.has(id), scene.wanted.has(id));
        }
        assert.equal(runtime.faults.count, 0);
        assert.deepEqual(scene.tooEarly, []);
        const stopping = root.stop();
        await scene.comeToRest();
        await stopping;
        assert.ok([...scene.open.values()].every((lives) => lives === 0));
        assert.equal(runtime.registry.size, 0);
        assert.equal(runtime.supervisors.size, 0);
        assert.equal(clock.timers, 0);
      },
    ),
    { numRuns: Number(process.env['MON_MODEL_RUNS'] ?? 200) },
  );
});
