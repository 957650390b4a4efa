// Parses listen addresses (`127.0.0.1:8080`, `[::]:8080`, `:8080`) and formats them as URLs.
import type { AddressInfo } from 'node:net';
import { SettingsError } from '../program/resolve.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Converts `[::1]` to `::1`. */
export const plainHost = (host: string): string => host.replace(/^\[(.*)\]$/, '$1');

/** Throws SettingsError for an invalid address; `flag` is named in the message. */
export const parseListenAddress = (flag: string, address: string): ListenAddress => {
  const match = /^(\[[^\]]*\]|[^:]*):(\d{1,5})$/.exec(address);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535) {
    throw new SettingsError(
      `${flag} must be host:port, e.g. 127.0.0.1:8080 or [::]:8080 (got ${JSON.stringify(address)})`,
    );
  }
  const host = plainHost(match[1] ?? '');
  return { host: host === '' ? '::' : host, port };
};

/** An address that accepts connections on every interface. */
export const isAnyHost = (host: string): boolean => host === '::' || host === '0.0.0.0';

/** The URL of a listener for local programs. */
export const localUrl = (scheme: string, { address, port }: Omit<AddressInfo, 'family'>): string => {
  const host = isAnyHost(address) ? '127.0.0.1' : address;
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
};

/** The `<scheme>://<host>` of an external URL; undefined if empty. Throws SettingsError if invalid. */
export const parsePublicUrl = (flag: string, text: string): string | undefined => {
  if (text === '') return undefined;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
  if (url !== undefined && isPlain && /^https?:$/.test(url.protocol)) return url.origin;
  throw new SettingsError(
    `${flag} must be a URL of scheme and host, e.g. https://mon.example.org (got ${JSON.stringify(text)})`,
  );
};
