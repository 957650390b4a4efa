// Checks that the ports of a program are free, by listening on them briefly.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { plainHost } from '../listen-address.ts';
import { type Finding, fail, ok, type Probe } from './finding.ts';
import { type Holder, type Protocol, portHolder } from './port-holder.ts';

export interface PortQuestion {
  /** The flag that names it, e.g. `--agent-port`. */
  readonly flag: string;
  readonly host: string;
  readonly port: number;
  readonly protocol?: Protocol;
  /** Whether a process is the running instance of the program that is checked. */
  readonly isOurs: (holder: Holder) => boolean;
}

const tryTcp = async (host: string, port: number): Promise<void> => {
  const server = createServer();
  server.listen({ host, port, exclusive: true });
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
};

const tryUdp = async (host: string, port: number): Promise<void> => {
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  socket.bind({ address: host, port, exclusive: true });
  await once(socket, 'listening');
  socket.close();
};

const taken = ({ flag, port, protocol = 'tcp', isOurs }: PortQuestion, address: string): Finding => {
  const holder = portHolder(protocol, port);
  if (holder !== undefined && isOurs(holder))
    return ok('port', `${address} is taken by the program that runs here already (pid ${holder.pid})`);
  const who = holder === undefined ? 'another process' : `pid ${holder.pid} (${holder.command})`;
  return fail('port', `${address} is taken by ${who}`, `end that, or choose another port with ${flag}`);
};

const explain = (question: PortQuestion, address: string, error: NodeJS.ErrnoException): Finding => {
  switch (error.code) {
    case 'EADDRINUSE':
      return taken(question, address);
    case 'EACCES':
      return fail(
        'port',
        `${address} may not be listened on by this user`,
        `ports below 1024 need a capability; choose another with ${question.flag}`,
      );
    case 'EADDRNOTAVAIL':
      return fail('port', `${address} is no address of this machine`, `correct ${question.flag}`);
    case 'ENOTFOUND':
      return fail('port', `${address} names no host that is known`, `correct ${question.flag}`);
    default:
      return fail('port', `${address}: ${error.message}`, `correct ${question.flag}`);
  }
};

export const portProbe = (question: PortQuestion): Probe => ({
  area: 'port',
  ask: async () => {
    const { port, protocol = 'tcp' } = question;
    const host = plainHost(question.host);
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}/${protocol}`;
    if (port === 0) return [ok('port', `${question.flag}: any free one`)];
    try {
      await (protocol === 'tcp' ? tryTcp : tryUdp)(host, port);
      return [ok('port', `${address} is free`)];
    } catch (error) {
      return [explain(question, address, error as NodeJS.ErrnoException)];
    }
  },
});
