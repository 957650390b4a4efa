// The two encodings as the load generator and the bare loop write and read them: the frames of real agents, one small
// message at a time.
import { randomUUID } from 'node:crypto';
import { decodeFrame, encodeFrame } from '../../../src/wire/frames.ts';
import { decodePayload, encodePayload } from '../../../src/wire/protobuf/payloads.ts';
import type { RealPlan } from './plan.ts';

export interface Request {
  readonly config: { readonly metadata: { readonly name: string } } & Readonly<Record<string, unknown>>;
  readonly issued: number;
}

export interface Result {
  readonly id: string;
  readonly sequence: number;
  readonly issued: number;
  readonly status: number;
  readonly entity: ReturnType<typeof entityOf>;
}

export const nowSeconds = (): number => Math.floor(Date.now() / 1000);

export const entityOf = (name: string) => ({
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
  subscriptions: ['bench', `entity:${name}`],
  last_seen: nowSeconds(),
  deregister: false,
  deregistration: {},
  user: 'agent',
  metadata: { name, namespace: 'default', labels: { region: 'eu' } },
  mon_agent_version: '0.1.0',
});

const outputOf = (check: string): string =>
  `${check} OK - load average: 0.12, 0.34, 0.56|load1=0.120;4.000;8.000;0; load5=0.340;3.000;6.000;0;\n`.repeat(
    3,
  );

const eventOf = ({ config }: Request, { id, sequence, issued, status, entity }: Result) => ({
  timestamp: nowSeconds(),
  entity: { ...entity, last_seen: nowSeconds() },
  check: {
    ...config,
    secrets: null,
    issued,
    executed: issued,
    duration: 0.0123,
    output: outputOf(config.metadata.name),
    status,
    processed_by: entity.metadata.name,
    history: null,
    total_state_change: 0,
    last_ok: 0,
    occurrences: 0,
    occurrences_watermark: 0,
    is_silenced: false,
  },
  metadata: { namespace: 'default' },
  id,
  sequence,
  pipelines: [],
});

const keepaliveOf = (agent: string, sequence: number) => ({
  timestamp: nowSeconds(),
  id: randomUUID(),
  sequence,
  entity: { ...entityOf(agent), last_seen: nowSeconds() },
  check: { interval: 20, timeout: 120, ttl: 0, metadata: { name: 'keepalive', namespace: 'default' } },
  metadata: { namespace: 'default' },
});

export interface BenchWire {
  readonly accept: string;
  keepalive(agent: string, sequence: number): Buffer;
  result(request: Request, result: Result): Buffer;
  /** Null when the frame is no request. */
  request(frame: Buffer): Request | null;
  encodeRequest(request: Request): Buffer;
  decodeEvent(payload: Buffer): { id: string; entity: EntityName; check: { metadata: { name: string } } };
}

interface EntityName {
  readonly metadata: { readonly namespace: string; readonly name: string };
}

const payloadOf = (frame: Buffer, type: string): Buffer | null => {
  const read = decodeFrame(frame);
  return read?.type === type ? read.payload : null;
};

const json: BenchWire = {
  accept: 'application/json',
  keepalive: (agent, sequence) => encodeFrame('keepalive', JSON.stringify(keepaliveOf(agent, sequence))),
  result: (request, result) => encodeFrame('event', JSON.stringify(eventOf(request, result))),
  request: (frame) => {
    const payload = payloadOf(frame, 'check_request');
    return payload === null ? null : JSON.parse(payload.toString());
  },
  encodeRequest: (request) => encodeFrame('check_request', JSON.stringify(request)),
  decodeEvent: (payload) => JSON.parse(payload.toString()),
};

const decoded = <T>(type: 'event' | 'check_request', payload: Buffer): T => {
  const read = decodePayload(type, payload);
  if (!read.ok) throw new Error(read.message);
  return read.value as T;
};

const protobuf: BenchWire = {
  accept: 'application/octet-stream',
  keepalive: (agent, sequence) =>
    encodeFrame('keepalive', encodePayload('keepalive', keepaliveOf(agent, sequence))),
  result: (request, result) => encodeFrame('event', encodePayload('event', eventOf(request, result))),
  request: (frame) => {
    const payload = payloadOf(frame, 'check_request');
    return payload === null ? null : decoded('check_request', payload);
  },
  encodeRequest: (request) => encodeFrame('check_request', encodePayload('check_request', request)),
  decodeEvent: (payload) => decoded('event', payload),
};

export const wireOf = ({ encoding }: Pick<RealPlan, 'encoding'>): BenchWire =>
  encoding === 'json' ? json : protobuf;
