// Selects the proxy for a URL from the standard variables: HTTP_PROXY for http and ws, HTTPS_PROXY for https and
// wss, NO_PROXY for direct connections. Pure.
import { BlockList, isIP } from 'node:net';

export type Variables = Readonly<Record<string, string | undefined>>;

const read = (variables: Variables, name: string): string =>
  (variables[name] || variables[name.toLowerCase()] || '').trim();

const family = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

const inNetwork = (address: string, network: string): boolean => {
  const [base = '', bits = ''] = network.split('/');
  if (isIP(base) === 0 || isIP(base) !== isIP(address) || !/^\d+$/.test(bits)) return false;
  const list = new BlockList();
  if (Number(bits) > (isIP(base) === 6 ? 128 : 32)) return false;
  list.addSubnet(base, Number(bits), family(base));
  return list.check(address, family(address));
};

/** `example.com` matches the host and its subdomains, `.example.com` only subdomains. */
const nameMatches = (host: string, pattern: string): boolean =>
  pattern.startsWith('.') ? host.endsWith(pattern) : host === pattern || host.endsWith(`.${pattern}`);

const spares = (entry: string, host: string, port: string): boolean => {
  if (entry === '*') return true;
  if (entry.includes('/')) return inNetwork(host, entry);
  const [, name = entry, wantedPort = ''] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(entry) ?? [];
  if (wantedPort !== '' && wantedPort !== port) return false;
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*\./, '.');
  return isIP(host) === 0 ? nameMatches(host, bare) : host === bare;
};

const isLocal = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

const defaultPorts: Readonly<Record<string, string>> = {
  'http:': '80',
  'ws:': '80',
  'https:': '443',
  'wss:': '443',
};

/** The proxy URL, or null for a direct connection. Localhost is always direct. Throws on an invalid proxy URL. */
export const proxyFor = (target: URL, variables: Variables): URL | null => {
  const secure = target.protocol === 'https:' || target.protocol === 'wss:';
  const name = secure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const proxy = read(variables, name);
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  if (proxy === '' || isLocal(host)) return null;
  const port = target.port || (defaultPorts[target.protocol] ?? '');
  const spared = read(variables, 'NO_PROXY')
    .split(',')
    .map((entry) => entry.trim().toLowerCase())
    .filter((entry) => entry !== '');
  if (spared.some((entry) => spares(entry, host, port))) return null;
  const text = proxy.includes('://') ? proxy : `http://${proxy}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Error(`${name} must be an http or https URL`);
  return url;
};
