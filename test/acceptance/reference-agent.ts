// An agent of the reference product, as the facts sheet records its side of the conversation: its headers, its frames,
// in JSON or in the binary encoding, and no acknowledgements.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { asBuffer, decodeFrame, encodeFrame } from '../../src/wire/frames.ts';
import { type BinaryType, decodePayload, encodePayload } from '../../src/wire/protobuf/payloads.ts';

export type Encoding = 'application/json' | 'application/octet-stream';
export type Json = Record<string, unknown>;

interface ReceivedFrame {
  readonly type: string;
  readonly payload: Json;
}

export interface ReferenceAgent {
  /** Lines of the backend's 101, in order: name, value, name, value. */
  readonly answer: readonly string[];
  readonly frames: readonly ReceivedFrame[];
  send(type: 'keepalive' | 'event', payload: Json): void;
  sendRaw(bytes: string): void;
  /** The first frame of a type that fits, past or to come. */
  frame(type: string, fits?: (payload: Json) => boolean): Promise<ReceivedFrame>;
  /** Resolves with the code the connection was closed with. */
  close(): Promise<number>;
}

const referenceHeaders = (encoding: Encoding, credentials = 'agent:P@ssw0rd!') => ({
  Accept: encoding,
  'Sensu-Agentname': 'web-01',
  'Sensu-Namespace': 'default',
  'Sensu-Subscriptions': 'linux,web',
  'Sensu-User': 'agent',
  Authorization: `Basic ${Buffer.from(credentials).toString('base64')}`,
});

const read = (encoding: Encoding, bytes: Buffer): ReceivedFrame => {
  const frame = decodeFrame(bytes);
  if (frame === null) throw new Error('the backend sent no frame');
  if (encoding === 'application/json')
    return { type: frame.type, payload: JSON.parse(frame.payload.toString()) as Json };
  const decoded = decodePayload(frame.type as BinaryType, frame.payload);
  if (!decoded.ok) throw new Error(decoded.message);
  return { type: frame.type, payload: decoded.value as Json };
};

export const connectReferenceAgent = async (url: string, encoding: Encoding): Promise<ReferenceAgent> => {
  const socket = new WebSocket(url, { headers: referenceHeaders(encoding), perMessageDeflate: false });
  const frames: ReceivedFrame[] = [];
  const watchers = new Set<() => void>();
  socket.on('message', (data) => {
    frames.push(read(encoding, asBuffer(data)));
    for (const look of [...watchers]) look();
  });
  const [answer] = (await once(socket, 'upgrade')) as [IncomingMessage];
  if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open');

  const frame: ReferenceAgent['frame'] = (type, fits = () => true) =>
    new Promise((resolve, reject) => {
      const giveUp = setTimeout(() => {
        watchers.delete(look);
        reject(new Error(`no fitting ${type}; got ${JSON.stringify(frames)}`));
      }, 120_000);
      const look = () => {
        const found = frames.find((each) => each.type === type && fits(each.payload));
        if (found === undefined) return;
        clearTimeout(giveUp);
        watchers.delete(look);
        resolve(found);
      };
      watchers.add(look);
      look();
    });

  return {
    answer: answer.rawHeaders,
    frames,
    send: (type, payload) =>
      socket.send(
        encodeFrame(
          type,
          encoding === 'application/json' ? JSON.stringify(payload) : encodePayload(type, payload),
        ),
      ),
    sendRaw: (bytes) => socket.send(Buffer.from(bytes)),
    frame,
    close: async () => {
      socket.close(1001, 'bye');
      const [code] = (await once(socket, 'close')) as [number];
      return code;
    },
  };
};

const now = (): number => Math.floor(Date.now() / 1000);

const entity = (): Json => ({
  entity_class: 'agent',
  system: {
    hostname: 'web-01',
    os: 'linux',
    platform: 'ubuntu',
    platform_family: 'debian',
    platform_version: '22.04',
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
  subscriptions: ['linux', 'web'],
  last_seen: now(),
  deregister: false,
  deregistration: {},
  user: 'agent',
  redact: ['password', 'secret'],
  metadata: { name: 'web-01', namespace: 'default', labels: { region: 'us' } },
  sensu_agent_version: '6.12.0',
});

const emptyCheck = (): Json => ({
  handlers: [],
  high_flap_threshold: 0,
  interval: 20,
  low_flap_threshold: 0,
  publish: false,
  runtime_assets: null,
  subscriptions: [],
  proxy_entity_name: '',
  check_hooks: null,
  stdin: false,
  subdue: null,
  ttl: 0,
  timeout: 120,
  round_robin: false,
  executed: 0,
  history: null,
  issued: 0,
  output: '',
  status: 0,
  total_state_change: 0,
  last_ok: 0,
  occurrences: 0,
  occurrences_watermark: 0,
  output_metric_format: '',
  output_metric_handlers: null,
  env_vars: null,
  metadata: { name: 'keepalive', namespace: 'default' },
  secrets: null,
  is_silenced: false,
  scheduler: '',
  pipelines: [],
});

/** A keepalive with every key of the facts sheet, section 2.6. */
export const keepalive = (sequence: number): Json => ({
  timestamp: now(),
  entity: entity(),
  check: emptyCheck(),
  metadata: { namespace: 'default' },
  id: crypto.randomUUID(),
  sequence,
  pipelines: null,
});

/** The result of a check request, as in section 2.7, with a hook's result and metrics. */
export const result = (request: Json, sequence: number, more: Json = {}): Json => {
  const { secrets: _, ...config } = request.config as Json;
  return {
    timestamp: now(),
    entity: entity(),
    check: {
      ...emptyCheck(),
      ...config,
      duration: 0.0123,
      executed: now(),
      issued: request.issued,
      output: 'CRITICAL cpu 99\n',
      status: 2,
      hooks: [
        {
          metadata: { name: 'ps', namespace: 'default' },
          command: 'ps aux',
          timeout: 60,
          stdin: false,
          runtime_assets: null,
          duration: 0.02,
          executed: now(),
          issued: 0,
          output: 'PID ...',
          status: 0,
        },
      ],
      processed_by: 'web-01',
      ...more,
    },
    metrics: {
      handlers: [],
      points: [
        { name: 'cpu.used', value: 99.5, timestamp: now(), tags: [{ name: 'host', value: 'web-01' }] },
      ],
    },
    metadata: { namespace: 'default' },
    id: crypto.randomUUID(),
    sequence,
    pipelines: [],
  };
};
