// The checks of `mon-agent doctor`: everything that can keep an agent with these settings from working. Backends are contacted
// with the agent's request but without the WebSocket upgrade, so no session starts and an existing one is not replaced.
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { tlsToBackend } from '../../agent/connection/tls.ts';
import type { AgentConfig } from '../../agent/flags.ts';
import { errorText } from '../../program/log.ts';
import { proxyFor } from '../../program/proxy-rule.ts';
import { openTunnel } from '../../program/tunnel.ts';
import { agentHeaders, jsonType } from '../../wire/headers.ts';
import { authoritiesProbe, pairProbe } from './certificates.ts';
import { clockFinding } from './clock.ts';
import { examine, type Finding, fail, ok, type Probe } from './finding.ts';
import { folderProbe } from './folders.ts';
import { reachMs } from './limits.ts';
import { type PortQuestion, portProbe } from './ports.ts';

const area = 'backend';

const ask = async (
  address: string,
  config: AgentConfig,
): Promise<{ readonly answer: IncomingMessage; readonly body: string }> => {
  const url = new URL(address.replace(/^ws/, 'http'));
  const tls = url.protocol === 'https:' ? tlsToBackend(config) : undefined;
  const proxy = proxyFor(new URL(address), process.env);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port) || (tls === undefined ? 80 : 443);
  const destination = { host, port, ...(tls === undefined ? {} : { tls }) };
  const socket = proxy === null ? undefined : await openTunnel(proxy, destination, reachMs);
  const headers = agentHeaders({
    ...{ agentName: config.name, namespace: config.namespace, subscriptions: [], accept: jsonType },
    ...(config.certFile === '' ? { credentials: { user: config.user, password: config.password } } : {}),
  });
  // TLS inside a tunnel is there already: the request is sent as plain HTTP through it.
  const asked = socket === undefined ? url : new URL(url.href.replace(/^https:/, 'http:'));
  return new Promise((resolve, reject) => {
    const options = {
      ...{ headers, timeout: reachMs },
      // A connection of one's own is used only without an agent of Node's.
      ...(socket === undefined
        ? { agent: false, ...(tls as object) }
        : { createConnection: () => socket as never }),
    };
    const request = (tls !== undefined && socket === undefined ? requestHttps : requestHttp)(
      asked,
      options,
      (answer) => {
        let body = '';
        answer.setEncoding('utf8');
        answer.on('data', (text: string) => {
          body = (body + text).slice(0, 500);
        });
        answer.once('end', () => resolve({ answer, body: body.trim() }));
        answer.once('error', reject);
      },
    );
    request.once('timeout', () => request.destroy(new Error(`no answer within ${reachMs} ms`)));
    request.once('error', reject);
    request.end();
  });
};

/** The `Date` header has a resolution of one second. */
const clock = (url: string, date: string | undefined, nowMs: number): readonly Finding[] =>
  date === undefined ? [] : [clockFinding(url, Date.parse(date) - nowMs)];

/** The expected result of a handshake: an accepted agent gets the error for a missing upgrade. */
const verdict = (url: string, status: number, body: string, { user }: AgentConfig): Finding => {
  if (status === 400 && /^Bad Request\b/.test(body))
    return ok(area, `${url} answers, and lets this agent in`);
  const said = `${url} answers ${status}: ${body.slice(0, 200)}`;
  if (status === 401) return fail(area, said, `correct --user (${user}) and --password`);
  if (status === 402) return fail(area, said, 'install a license with more entities, or remove entities');
  if (status === 403) return fail(area, said, `give the user ${user} the right to its events`);
  if (status === 404) return fail(area, said, 'is this the port of agents (8081), and not that of the API?');
  return fail(area, said, 'see what it says');
};

const backendProbe = (url: string, config: AgentConfig): Probe => ({
  area,
  ask: async () => {
    try {
      const { answer, body } = await ask(url, config);
      return [
        verdict(url, answer.statusCode ?? 0, body, config),
        ...clock(url, answer.headers.date, Date.now()),
      ];
    } catch (error) {
      return [
        fail(
          area,
          `${url}: ${errorText(error)}`,
          'start the backend, open the way to it, or correct --backend-url',
        ),
      ];
    }
  },
});

const portsOf = (config: AgentConfig): readonly Probe[] => {
  const isOurs: PortQuestion['isOurs'] = ({ command }) => /mon-agent\S* start\b/.test(command);
  const { apiHost, apiPort, socketHost, socketPort, statsdMetricsHost, statsdMetricsPort } = config;
  const socket = { flag: '--socket-port', host: socketHost, port: socketPort, isOurs };
  return [
    ...(config.disableApi ? [] : [portProbe({ flag: '--api-port', host: apiHost, port: apiPort, isOurs })]),
    ...(config.disableSockets ? [] : [portProbe(socket), portProbe({ ...socket, protocol: 'udp' })]),
    ...(config.statsdDisable
      ? []
      : [
          portProbe({
            ...{ flag: '--statsd-metrics-port', host: statsdMetricsHost, port: statsdMetricsPort, isOurs },
            protocol: 'udp',
          }),
        ]),
  ];
};

/** Runs with the agent stopped or running. */
export const examineAgent = (config: AgentConfig): Promise<readonly Finding[]> =>
  examine([
    ...portsOf(config),
    folderProbe('--cache-dir', config.cacheDir),
    pairProbe(config.certFile, config.keyFile, undefined),
    authoritiesProbe('--trusted-ca-file', config.trustedCaFile),
    ...config.backendUrl.map((url) => backendProbe(url, config)),
  ]);
