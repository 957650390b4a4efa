// A load of agents in a process of its own: each connection keeps a fixed number of events in flight and counts the
// ones that were acknowledged. It speaks the native wire, so a backend and the bare loop are driven by the same bytes.
// Started with IPC: receives a LoadPlan, answers with a LoadResult.
import { randomUUID } from 'node:crypto';
import WebSocket from 'ws';
import { type CpuTimeUs, cpuTimeUs } from './cpu-time.ts';

export interface LoadPlan {
  readonly url: string;
  /** The process that is driven: its time on a core is measured over the same window. */
  readonly pid: number;
  readonly connections: number;
  readonly inFlight: number;
  readonly checksPerAgent: number;
  readonly warmUpMs: number;
  readonly runMs: number;
}

export interface LoadResult {
  readonly acked: number;
  readonly refused: number;
  readonly seconds: number;
  /** Time from send to acknowledgement, milliseconds. */
  readonly latencyMs: { readonly p50: number; readonly p99: number };
  /** Of the driven process, an acknowledged event. */
  readonly usPerEvent: CpuTimeUs;
}

const authorization = `Basic ${Buffer.from('agent:P@ssw0rd!').toString('base64')}`;

const entityOf = (name: string) => ({
  entity_class: 'agent',
  system: {
    hostname: name,
    os: 'linux',
    platform: 'debian',
    platform_family: 'debian',
    platform_version: '12',
    network: {
      interfaces: [
        { name: 'lo', addresses: ['127.0.0.1/8', '::1/128'] },
        { name: 'eth0', mac: '52:54:00:8a:fe:e6', addresses: ['10.0.2.15/24'] },
      ],
    },
    arch: 'amd64',
    libc_type: 'glibc',
    vm_system: 'kvm',
    vm_role: 'guest',
    cloud_provider: '',
    processes: null,
  },
  subscriptions: ['linux', `entity:${name}`],
  last_seen: 1_700_000_000,
  deregister: false,
  deregistration: {},
  user: 'agent',
  metadata: { name, namespace: 'default', labels: { region: 'eu' } },
  mon_agent_version: '0.1.0',
});

const checkOf = (name: string) => ({
  command: 'check_load -w 4,3,2 -c 8,6,4',
  handlers: [],
  interval: 10,
  publish: true,
  subscriptions: ['linux'],
  timeout: 10,
  ttl: 0,
  duration: 0.0123,
  executed: 1_700_000_001,
  issued: 1_700_000_000,
  output:
    `${name} OK - load average: 0.12, 0.34, 0.56|load1=0.120;4.000;8.000;0; load5=0.340;3.000;6.000;0;\n`.repeat(
      3,
    ),
  status: 0,
  metadata: { name, namespace: 'default', labels: { team: 'base' } },
});

/** An event frame in parts, around its id, `last_seen` and status: writing one costs three string joins. */
const frameTemplate = (agent: string, check: string): ((id: string, status: number) => string) => {
  const event = {
    timestamp: 1_700_000_002,
    id: 'ID',
    entity: entityOf(agent),
    check: { ...checkOf(check), status: 12345 },
    metadata: { namespace: 'default' },
    sequence: 1,
  };
  const [head = '', rest = ''] = JSON.stringify(event).split('"ID"');
  const [beforeSeen = '', ...others] = rest.split('1700000000');
  const afterSeen = others.join('1700000000');
  const [middle = '', tail = ''] = afterSeen.split('12345');
  return (id, status) => `event\n${head}"${id}"${beforeSeen}${nowSeconds()}${middle}${status}${tail}`;
};

/** As agents do: the time of their last sign of life, in every event. */
const nowSeconds = (): number => Math.floor(Date.now() / 1000);

const keepaliveFrame = (agent: string): string =>
  `keepalive\n${JSON.stringify({
    timestamp: Math.floor(Date.now() / 1000),
    id: randomUUID(),
    sequence: 1,
    entity: entityOf(agent),
    check: { interval: 20, timeout: 120, ttl: 0, metadata: { name: 'keepalive', namespace: 'default' } },
    metadata: { namespace: 'default' },
  })}`;

/** Ids that are cheap to make and never repeat: one random UUID a connection, its last 12 digits counted up. */
const idSource = (): (() => string) => {
  const stem = randomUUID().slice(0, 24);
  let count = 0;
  return () => {
    count += 1;
    return stem + count.toString(16).padStart(12, '0');
  };
};

interface Tally {
  counting: boolean;
  acked: number;
  refused: number;
  readonly latencies: number[];
}

const runAgent = (plan: LoadPlan, index: number, tally: Tally): Promise<WebSocket> =>
  new Promise((resolve, reject) => {
    const agent = `bench-${index}`;
    const templates = Array.from({ length: plan.checksPerAgent }, (_, check) =>
      frameTemplate(agent, `check-${check}`),
    );
    const nextId = idSource();
    const sentAt = new Map<string, number>();
    let turn = 0;
    const socket = new WebSocket(plan.url, {
      headers: {
        'Mon-AgentName': agent,
        'Mon-Namespace': 'default',
        'Mon-Subscriptions': 'linux',
        'Mon-User': 'agent',
        'Mon-Ack': '1',
        Accept: 'application/json',
        Authorization: authorization,
      },
    });
    const sendOne = (): void => {
      const id = nextId();
      turn += 1;
      const template = templates[turn % templates.length];
      if (template === undefined) return;
      sentAt.set(id, performance.now());
      socket.send(template(id, turn % 50 === 0 ? 2 : 0));
    };
    const settle = (id: string): void => {
      const started = sentAt.get(id);
      if (started === undefined) return;
      sentAt.delete(id);
      if (tally.counting) tally.latencies.push(performance.now() - started);
      if (socket.readyState === WebSocket.OPEN) sendOne();
    };
    socket.on('error', reject);
    socket.on('open', () => {
      socket.send(keepaliveFrame(agent));
      for (let i = 0; i < plan.inFlight; i += 1) sendOne();
      resolve(socket);
    });
    socket.on('message', (data: Buffer) => {
      if (data[0] !== 0x61 || data[3] !== 0x0a) return; // not an `ack\n` frame
      const ack = JSON.parse(data.toString('utf8', 4)) as { ids: string[]; refused?: { id: string }[] };
      for (const id of ack.ids) {
        if (tally.counting && sentAt.has(id)) tally.acked += 1;
        settle(id);
      }
      for (const { id } of ack.refused ?? []) {
        tally.refused += 1;
        settle(id);
      }
    });
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const runLoad = async (plan: LoadPlan): Promise<LoadResult> => {
  const tally: Tally = { counting: false, acked: 0, refused: 0, latencies: [] };
  const sockets = await Promise.all(
    Array.from({ length: plan.connections }, (_, index) => runAgent(plan, index, tally)),
  );
  await pause(plan.warmUpMs);
  const before = cpuTimeUs(plan.pid);
  tally.counting = true;
  const started = performance.now();
  await pause(plan.runMs);
  tally.counting = false;
  const after = cpuTimeUs(plan.pid);
  const seconds = (performance.now() - started) / 1000;
  for (const socket of sockets) socket.terminate();
  const sorted = tally.latencies.sort((a, b) => a - b);
  return {
    acked: tally.acked,
    refused: tally.refused,
    seconds,
    latencyMs: { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) },
    usPerEvent: {
      process: (after.process - before.process) / tally.acked,
      main: (after.main - before.main) / tally.acked,
    },
  };
};

if (process.send !== undefined) {
  process.once('message', (plan: LoadPlan) => {
    runLoad(plan).then(
      (result) => process.send?.(result, () => process.exit(0)),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
}
