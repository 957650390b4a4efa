// Scenes of the smaller machines: silence, circuit, boot, session, and the agent's connection and execution.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type AgentConnectionEffect,
  type AgentConnectionFact,
  agentConnectionMachine,
} from '../../src/machines/agent-connection/agent-connection-machine.ts';
import { type BootEffect, type BootFact, bootMachine } from '../../src/machines/boot/boot-machine.ts';
import type { CircuitEffect, CircuitFact } from '../../src/machines/circuit/circuit-facts.ts';
import { circuitMachine } from '../../src/machines/circuit/circuit-machine.ts';
import {
  type ExecutionEffect,
  type ExecutionFact,
  executionMachine,
} from '../../src/machines/execution/execution-machine.ts';
import {
  circuitFailures,
  maxCircuitOpenMs,
  minCircuitOpenMs,
  minGoodLineMs,
} from '../../src/machines/limits.ts';
import type { SessionContext, SessionEffect, SessionFact } from '../../src/machines/session/session-facts.ts';
import { sessionMachine } from '../../src/machines/session/session-machine.ts';
import type { SilenceEffect, SilenceFact } from '../../src/machines/silence/silence-facts.ts';
import { silenceMachine } from '../../src/machines/silence/silence-machine.ts';
import { bring } from './harness.ts';
import { agentBackOff } from './samples.ts';

describe('the silence machine', () => {
  const start = () =>
    bring<SilenceFact, SilenceEffect>(silenceMachine, { input: { namespace: 'default', name: 'linux:*' } });
  const defined = (
    beginMs: number,
    endMs: number | null,
    nowMs: number,
    expireOnResolve = false,
  ): SilenceFact => ({
    type: 'silence.defined',
    beginMs,
    endMs,
    expireOnResolve,
    nowMs,
  });
  const over = (nowMs: number): SilenceFact => ({ type: 'deadline.reached', name: 'silence', nowMs });

  it('holds from its begin to its end', () => {
    const silence = start();
    assert.deepEqual(silence.send(defined(100, 200, 50)), [
      { type: 'deadline.set', name: 'silence', atMs: 100 },
    ]);
    assert.equal(silence.snapshot().value, 'pending');
    assert.deepEqual(silence.send(over(100)), [
      { type: 'deadline.set', name: 'silence', atMs: 200 },
      { type: 'silence.began' },
    ]);
    assert.deepEqual(silence.send(over(199)), [{ type: 'deadline.set', name: 'silence', atMs: 200 }]);
    assert.deepEqual(silence.send(over(200)).at(-1), { type: 'silence.ended', why: 'timeOver' });
    assert.equal(silence.snapshot().status, 'done');
  });

  it('without an end holds until somebody clears it', () => {
    const silence = start();
    assert.deepEqual(silence.send(defined(0, null, 50)), [
      { type: 'deadline.clear', name: 'silence' },
      { type: 'silence.began' },
    ]);
    assert.deepEqual(silence.send({ type: 'incident.resolved', nowMs: 60 }), []);
    assert.deepEqual(silence.send({ type: 'silence.cleared', nowMs: 70 }).at(-1), {
      type: 'silence.ended',
      why: 'cleared',
    });
  });

  it('ends with the incident when it was made to', () => {
    const silence = start();
    silence.send(defined(0, null, 50, true));
    assert.deepEqual(silence.send({ type: 'incident.resolved', nowMs: 60 }).at(-1), {
      type: 'silence.ended',
      why: 'resolved',
    });
  });

  it('that is over already never begins', () => {
    assert.deepEqual(
      start()
        .send(defined(0, 50, 50))
        .at(-1),
      { type: 'silence.ended', why: 'timeOver' },
    );
  });
});

describe('the silence machine with windows', () => {
  const windows = [{ days: ['thursday'], begin: '00:01', end: '00:02', time_zone: 'UTC' }];
  const minuteMs = 60_000;

  it('holds while one is open and pauses until the next one', () => {
    const silence = bring<SilenceFact, SilenceEffect>(silenceMachine, {
      input: { namespace: 'default', name: 'backups' },
    });
    const over = (nowMs: number): SilenceFact => ({ type: 'deadline.reached', name: 'silence', nowMs });
    const weekMs = 7 * 86_400_000;
    // 1970-01-01 was a Thursday.
    assert.deepEqual(
      silence.send({
        type: 'silence.defined',
        beginMs: 0,
        endMs: weekMs + 90_000,
        windows,
        expireOnResolve: false,
        nowMs: 0,
      }),
      [{ type: 'deadline.set', name: 'silence', atMs: minuteMs }],
    );
    assert.deepEqual(silence.send(over(minuteMs)), [
      { type: 'deadline.set', name: 'silence', atMs: 2 * minuteMs },
      { type: 'silence.began' },
    ]);
    assert.deepEqual(silence.send(over(2 * minuteMs)), [
      { type: 'deadline.set', name: 'silence', atMs: weekMs + minuteMs },
      { type: 'silence.paused' },
    ]);
    assert.equal(silence.snapshot().value, 'pending');
    assert.deepEqual(silence.send(over(weekMs + minuteMs))[0], {
      type: 'deadline.set',
      name: 'silence',
      atMs: weekMs + 90_000,
    });
    assert.deepEqual(silence.send(over(weekMs + 90_000)).at(-1), { type: 'silence.ended', why: 'timeOver' });
  });
});

describe('the circuit machine', () => {
  const failed: CircuitFact = { type: 'call.failed', nowMs: 1_000, error: 'refused' };
  const probe = (nowMs: number): CircuitFact => ({ type: 'deadline.reached', name: 'probe', nowMs });
  const start = () => bring<CircuitFact, CircuitEffect>(circuitMachine, { input: { name: 'slack' } });
  const opened = () => {
    const circuit = start();
    for (let n = 0; n < circuitFailures; n += 1) circuit.send(failed);
    return circuit;
  };

  it('opens at the fifth failure in a row, not at the fourth', () => {
    const circuit = start();
    for (let n = 1; n < circuitFailures; n += 1) assert.deepEqual(circuit.send(failed), []);
    circuit.send({ type: 'call.succeeded', nowMs: 0 });
    for (let n = 1; n < circuitFailures; n += 1) assert.deepEqual(circuit.send(failed), []);
    const untilMs = 1_000 + minCircuitOpenMs;
    assert.deepEqual(circuit.send(failed), [
      { type: 'deadline.set', name: 'probe', atMs: untilMs },
      { type: 'circuit.opened', untilMs, error: 'refused' },
    ]);
  });

  it('lets one call try, and closes when that goes well', () => {
    const circuit = opened();
    circuit.send(probe(1_000 + minCircuitOpenMs));
    assert.deepEqual(circuit.snapshot().value, { halfOpen: 'ready' });
    circuit.send({ type: 'probe.started', nowMs: 0 });
    assert.deepEqual(circuit.snapshot().value, { halfOpen: 'probing' });
    assert.deepEqual(circuit.send({ type: 'call.succeeded', nowMs: 0 }).at(-1), { type: 'circuit.closed' });
    assert.equal(circuit.snapshot().value, 'closed');
  });

  it('stays open longer each time the try fails, up to the limit', () => {
    const circuit = opened();
    let waitMs = minCircuitOpenMs;
    for (let n = 0; n < 8; n += 1) {
      circuit.send(probe(1e9));
      waitMs = Math.min(waitMs * 2, maxCircuitOpenMs);
      assert.deepEqual(circuit.send(failed)[0], {
        type: 'deadline.set',
        name: 'probe',
        atMs: 1_000 + waitMs,
      });
    }
    assert.equal(waitMs, maxCircuitOpenMs);
  });
});

describe('the boot machine', () => {
  const start = () => bring<BootFact, BootEffect>(bootMachine, { input: { nowMs: 0 } });

  it('lets traffic in only after everything is back', () => {
    const boot = start();
    const counts = { entities: 3, checks: 9, quarantined: 1 };
    assert.deepEqual(boot.send({ type: 'store.opened', nowMs: 1 }), [{ type: 'rebuild.begin' }]);
    assert.deepEqual(boot.send({ type: 'serve.requested', nowMs: 2 }), []);
    boot.send({ type: 'rebuild.finished', nowMs: 3, ...counts });
    assert.equal(boot.snapshot().value, 'standby');
    assert.deepEqual(boot.send({ type: 'serve.requested', nowMs: 4 }), [{ type: 'work.begin' }]);
    assert.equal(boot.snapshot().value, 'serving');
    assert.equal(boot.snapshot().context.readyAtMs, 4);
    assert.deepEqual(boot.send({ type: 'drain.requested', nowMs: 5 }), [{ type: 'drain.begin' }]);
    boot.send({ type: 'drain.finished', nowMs: 6 });
    assert.equal(boot.snapshot().value, 'stopped');
  });

  it('fails with a reason from anywhere', () => {
    const boot = start();
    assert.deepEqual(boot.send({ type: 'fault.reported', nowMs: 1, error: 'no store' }), [
      { type: 'boot.failed', error: 'no store' },
    ]);
    assert.equal(boot.snapshot().status, 'done');
  });
});

describe('the session machine', () => {
  it('tells when the agent said that it stopped, and not when its line was lost', () => {
    for (const isStopped of [true, false]) {
      const input = { namespace: 'default', agent: 'web-01', user: 'agent', connectedAtMs: 0 };
      const session = bring<SessionFact, SessionEffect>(sessionMachine, { input });
      session.send({ type: 'session.established', nowMs: 1 });
      const effects = session.send({ type: 'connection.closed', nowMs: 3, reason: '1000', isStopped });
      assert.deepEqual(effects, isStopped ? [{ type: 'agent.stopped' }] : []);
    }
  });

  it('keeps why it ended: what the backend wanted before what the socket said', () => {
    const input = { namespace: 'default', agent: 'web-01', user: 'agent', connectedAtMs: 0 };
    const session = bring<SessionFact, SessionEffect>(sessionMachine, { input });
    session.send({ type: 'session.established', nowMs: 1 });
    assert.deepEqual(session.send({ type: 'drain.requested', nowMs: 2, reason: 'bye' }), [
      { type: 'connection.close', reason: 'bye' },
    ]);
    assert.deepEqual(session.send({ type: 'drain.requested', nowMs: 2, reason: 'again' }), []);
    assert.equal(session.snapshot().value, 'draining');
    session.send({ type: 'connection.closed', nowMs: 3, reason: '1001' });
    const context = session.snapshot().context as SessionContext;
    assert.deepEqual([context.establishedAtMs, context.closedAtMs, context.reason], [1, 3, 'bye']);
  });
});

describe("the agent's connection machine", () => {
  const start = () => {
    const connection = bring<AgentConnectionFact, AgentConnectionEffect>(agentConnectionMachine, {
      input: { urls: ['ws://a', 'ws://b'], backOff: agentBackOff },
    });
    assert.deepEqual(connection.send({ type: 'start.requested', nowMs: 0 }), [
      { type: 'dial', url: 'ws://a' },
    ]);
    return connection;
  };
  const refused = (nowMs: number, askedMs = 0): AgentConnectionFact => ({
    type: 'line.refused',
    nowMs,
    random: 0,
    why: '503',
    askedMs,
  });
  const retry: AgentConnectionFact = { type: 'deadline.reached', name: 'retry', nowMs: 0 };

  it('tries the backends in turn, with waits that grow with every round up to the longest', () => {
    const connection = start();
    const waits: number[] = [];
    const urls: string[] = [];
    for (let n = 0; n < 18; n += 1) {
      const [wait] = connection.send(refused(0));
      if (wait?.type === 'deadline.set') waits.push(wait.atMs);
      const [dial] = connection.send(retry);
      if (dial?.type === 'dial') urls.push(dial.url);
    }
    const rounds = [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 90_000, 90_000];
    assert.deepEqual(
      waits,
      rounds.flatMap((wait) => [1_000, wait]),
    );
    assert.deepEqual(urls.slice(0, 3), ['ws://b', 'ws://a', 'ws://b']);
  });

  it('waits as long as a backend asks', () => {
    assert.deepEqual(start().send(refused(0, 90_000)), [
      { type: 'deadline.set', name: 'retry', atMs: 90_000 },
    ]);
  });

  it('comes back at once after a good line, and waits after one that broke at once', () => {
    for (const [lastedMs, expected] of [
      [minGoodLineMs, 'dial'],
      [minGoodLineMs - 1, 'deadline.set'],
    ] as const) {
      const connection = start();
      connection.send({ type: 'line.opened', nowMs: 0 });
      const [effect] = connection.send({ type: 'line.ended', nowMs: lastedMs, random: 0, why: '1006' });
      assert.equal(effect?.type, expected);
    }
  });

  it('closes its line when the agent stops', () => {
    const connection = start();
    connection.send({ type: 'line.opened', nowMs: 0 });
    assert.deepEqual(connection.send({ type: 'stop.requested', nowMs: 1 }), [{ type: 'line.close' }]);
    assert.equal(connection.snapshot().status, 'done');
  });
});

describe('the execution machine', () => {
  const start = () =>
    bring<ExecutionFact, ExecutionEffect>(executionMachine, { input: { key: 'cpu', issuedSeconds: 1 } });

  it('fetches assets, runs the command, runs the hooks and reports, in this order', () => {
    const execution = start();
    const effects = [
      ...execution.send({ type: 'request.accepted', nowMs: 0, needsAssets: true }),
      ...execution.send({ type: 'assets.fetched', nowMs: 1 }),
      ...execution.send({ type: 'command.finished', nowMs: 2, status: 2, hooks: ['ps'] }),
      ...execution.send({ type: 'hooks.finished', nowMs: 3 }),
    ];
    assert.deepEqual(
      effects.map(({ type }) => type),
      ['assets.fetch', 'command.run', 'hooks.run', 'result.report'],
    );
    execution.send({ type: 'result.reported', nowMs: 4 });
    assert.equal(execution.snapshot().status, 'done');
  });

  it('answers a request it refuses with a result', () => {
    const execution = start();
    assert.deepEqual(execution.send({ type: 'request.refused', nowMs: 0, why: 'denied by the allow list' }), [
      { type: 'result.report' },
    ]);
    assert.deepEqual(
      [execution.snapshot().context.status, execution.snapshot().context.refusal],
      [3, 'denied by the allow list'],
    );
  });

  it('reports nothing about a command it had to end because the agent stops', () => {
    const execution = start();
    execution.send({ type: 'request.accepted', nowMs: 0, needsAssets: false });
    assert.deepEqual(execution.send({ type: 'stop.requested', nowMs: 1 }), [{ type: 'command.kill' }]);
  });
});
