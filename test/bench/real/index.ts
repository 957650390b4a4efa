// Load that is like life: thousands of agents, each answering check requests with one small message at a time, a fifth of
// the results changing state, some of them handled; beside it, in the same minutes, the bare loop under the same load.
// `npm run bench -- real` runs every plan, `node dist/test/bench/real/index.js PLAN...` some of them.
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFlagsOf } from '../../../src/program/node-flags.ts';
import { ApiClient, inDefault, startBackend } from '../../acceptance/programs.ts';
import {
  checkName,
  definitionOf,
  handledCheck,
  type LoadOrder,
  type LoadReport,
  type RealPlan,
  type RealResult,
} from './plan.ts';

const base = {
  encoding: 'protobuf',
  warmUpSeconds: 25,
  runSeconds: 20,
  stormJitterSeconds: [],
  restSeconds: 0,
} as const;

/** `rate` in the comments: results offered a second. */
export const plans: readonly RealPlan[] = [
  { ...base, name: 'small', agents: 600, checks: 10, intervalSeconds: 5 }, // 1,200
  { ...base, name: 'latency', agents: 600, checks: 25, intervalSeconds: 5, encoding: 'json' }, // 3,000
  { ...base, name: 'many', agents: 4_000, checks: 10, intervalSeconds: 10, restSeconds: 60 }, // 4,000
  { ...base, name: 'saturation', agents: 4_000, checks: 10, intervalSeconds: 2 }, // 20,000
  {
    ...base,
    name: 'wide',
    agents: 10_000,
    checks: 10,
    intervalSeconds: 20,
    stormJitterSeconds: [0, 10],
    restSeconds: 60,
  }, // 5,000
];

const script = (name: string): string => fileURLToPath(new URL(`./${name}.js`, import.meta.url));
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const endedEarly = (child: ChildProcess): Promise<never> =>
  new Promise((_, reject) => {
    child.once('exit', (code) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`)));
  });

class Generator {
  readonly #child = fork(script('generator'), { execArgv: ['--max-semi-space-size=64'] });
  readonly #ended = endedEarly(this.#child);

  constructor() {
    this.#ended.catch(() => undefined); // heard of by whoever waits for a report
  }

  report<Type extends LoadReport['type']>(type: Type): Promise<Extract<LoadReport, { type: Type }>> {
    const told = new Promise<Extract<LoadReport, { type: Type }>>((resolve) => {
      const look = (report: LoadReport): void => {
        if (report.type !== type) return;
        this.#child.off('message', look);
        resolve(report as Extract<LoadReport, { type: Type }>);
      };
      this.#child.on('message', look);
    });
    return Promise.race([told, this.#ended]);
  }

  order(order: LoadOrder): void {
    this.#child.send(order);
  }

  end(): void {
    this.#child.kill('SIGKILL');
  }
}

/** The backend or the bare loop, as the bench sees it. */
interface Subject {
  readonly url: string;
  readonly pid: number;
  /** Answers when the main thread is free to. */
  readonly ping?: (() => Promise<unknown>) | undefined;
  end(): Promise<unknown>;
}

const startBare = async (dir: string, plan: RealPlan): Promise<Subject> => {
  const child = fork(script('bare'), [dir], { execArgv: [...nodeFlagsOf('bin/mon-backend.js')] });
  const port = Promise.race([
    new Promise<number>((resolve) => child.once('message', (message) => resolve(message as number))),
    endedEarly(child),
  ]);
  child.send(plan);
  return {
    url: `ws://127.0.0.1:${await port}`,
    pid: child.pid ?? 0,
    end: async () => child.kill('SIGKILL'),
  };
};

const startMon = async (dir: string, plan: RealPlan, handlerPort: number): Promise<Subject> => {
  const backend = await startBackend(dir, ['--log-level', 'warn', '--entity-limit', '0'], {});
  const api = await ApiClient.login(backend.api);
  await api.post(inDefault('handlers'), {
    metadata: { name: 'bench' },
    type: 'tcp',
    filters: ['is_incident'],
    socket: { host: '127.0.0.1', port: handlerPort },
    timeout: 10,
  });
  for (let index = 0; index < plan.checks; index += 1) {
    const name = checkName(index);
    const handlers = name === handledCheck ? ['bench'] : [];
    await api.post(inDefault('checks'), definitionOf(name, plan.intervalSeconds, handlers));
  }
  return {
    url: backend.agents,
    pid: backend.program.process.pid ?? 0,
    ping: () => fetch(`${backend.api}/health`).then((answer) => answer.text()),
    end: () => backend.program.kill('SIGKILL'),
  };
};

/** Resident memory, MB: now, and the most there ever was. */
const residentMb = (pid: number): { readonly now: number; readonly peak: number } => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (key: string) => Math.round(Number(status.match(new RegExp(`${key}:\\s+(\\d+)`))?.[1]) / 1_024);
  return { now: of('VmRSS'), peak: of('VmHWM') };
};

const ms = (value: number): string => (value < 10 ? value.toFixed(1) : value.toFixed(0));

const line = (title: string, { acked, seconds, ...result }: RealResult): string =>
  `  ${title.padEnd(5)} ${(acked / seconds).toFixed(0).padStart(6)} results/s of ${(result.sent / seconds).toFixed(0)} sent and ` +
  `${(result.requests / seconds).toFixed(0)} asked for; ${result.subjectUs.process.toFixed(0)} us CPU each, ` +
  `${result.subjectUs.main.toFixed(0)} of it main thread (generator ${result.generatorUs.toFixed(0)}); ` +
  `to the ack p50 ${ms(result.ackMs.p50)} p99 ${ms(result.ackMs.p99)} max ${ms(result.ackMs.max)} ms` +
  (result.handlerMs.count > 0
    ? `; to the handler p50 ${ms(result.handlerMs.p50)} p99 ${ms(result.handlerMs.p99)} ms (${result.handlerMs.count})`
    : '') +
  (result.refused > 0 ? `; REFUSED ${result.refused}` : '');

/** The longest and the 99th percentile of answers of an idle route, asked for every 50 ms while `work` goes on. */
const answersDuring = async (ping: () => Promise<unknown>, work: Promise<unknown>): Promise<string> => {
  const took: number[] = [];
  let isOver = false;
  const over = work.finally(() => {
    isOver = true;
  });
  while (!isOver) {
    const started = performance.now();
    await ping();
    took.push(performance.now() - started);
    await pause(50);
  }
  await over;
  took.sort((a, b) => a - b);
  return `p99 ${ms(took[Math.floor(took.length * 0.99)] ?? Number.NaN)} max ${ms(took.at(-1) ?? Number.NaN)} ms`;
};

const runStorms = async (plan: RealPlan, subject: Subject, load: Generator): Promise<void> => {
  for (const jitterSeconds of plan.stormJitterSeconds) {
    const back = load.report('back');
    load.order({ type: 'storm', jitterSeconds });
    const answers = await answersDuring(subject.ping ?? (async () => undefined), back);
    const { seconds, refusedAttempts } = await back;
    console.log(
      `        all ${plan.agents} cut at once, jitter ${jitterSeconds} s: back in ${seconds.toFixed(1)} s ` +
        `(${refusedAttempts} attempts refused); GET /health meanwhile ${answers}`,
    );
  }
};

const runSubject = async (title: 'bare' | 'mon', plan: RealPlan): Promise<RealResult> => {
  const dir = await mkdtemp(join(tmpdir(), 'mon-bench-'));
  const load = new Generator();
  let subject: Subject | undefined;
  try {
    const { handlerPort } = await load.report('listening');
    subject = await (title === 'bare' ? startBare(dir, plan) : startMon(dir, plan, handlerPort));
    const { pid, url } = subject;
    const atRest = residentMb(pid);
    const connected = load.report('connected');
    load.order({ type: 'connect', url, plan });
    const { seconds: letIn } = await connected;
    await pause(plan.warmUpSeconds * 1_000);
    const measured = load.report('measured');
    load.order({ type: 'measure', pid, seconds: plan.runSeconds });
    const { result } = await measured;
    const underLoad = residentMb(pid);
    console.log(line(title, result));
    if (title === 'mon') await runStorms(plan, subject, load);
    load.end();
    await pause(plan.restSeconds * 1_000);
    console.log(
      `        agents let in: ${(plan.agents / letIn).toFixed(0)}/s; resident ${atRest.now} MB empty, ${underLoad.now} under load, ` +
        `peak ${residentMb(pid).peak}` +
        (plan.restSeconds > 0 ? `, ${residentMb(pid).now} after ${plan.restSeconds} s without load` : ''),
    );
    return result;
  } finally {
    load.end();
    await subject?.end();
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  }
};

export const benchReal = async (names: readonly string[] = []): Promise<void> => {
  const unknown = names.filter((name) => plans.every((plan) => plan.name !== name));
  if (unknown.length > 0)
    throw new Error(`no plan ${unknown.join(', ')}; there are ${plans.map(({ name }) => name).join(', ')}`);
  for (const plan of plans) {
    if (names.length > 0 && !names.includes(plan.name)) continue;
    const { agents, checks, intervalSeconds, encoding } = plan;
    console.log(
      `${plan.name}: ${agents} agents, ${checks} checks each every ${intervalSeconds} s, ${encoding}: ` +
        `${agents * checks} checks, ${Math.round((agents * checks) / intervalSeconds)} results/s offered`,
    );
    const bare = await runSubject('bare', plan);
    const mon = await runSubject('mon', plan);
    console.log(
      `        bare/mon by CPU time ${(bare.subjectUs.process / mon.subjectUs.process).toFixed(2)}, ` +
        `by main thread ${(bare.subjectUs.main / mon.subjectUs.main).toFixed(2)}`,
    );
  }
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await benchReal(process.argv.slice(2));
