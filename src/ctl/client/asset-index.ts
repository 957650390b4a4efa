// An index of assets with the interface of the reference vendor's: versions of an asset, and the definition of one version. Which index
// is asked is up to the user (`--index-url`, MON_ASSET_INDEX_URL): none is built in.
import { CtlError } from '../failure.ts';
import type { Session } from '../session.ts';
import type { Json } from './api-client.ts';
import { sendRequest } from './http-request.ts';
import { transportOf } from './tokens.ts';

export interface AssetName {
  readonly namespace: string;
  readonly name: string;
  /** Undefined: the newest. */
  readonly version: string | undefined;
}

/** `sensu/http-checks:0.5.0` */
export const readAssetName = (word: string): AssetName => {
  const [, namespace, name, version] = /^([\w.-]+)\/([\w.-]+?)(?::([\w.+-]+))?$/.exec(word) ?? [];
  if (namespace === undefined || name === undefined)
    throw new CtlError(
      `an asset of an index is named NAMESPACE/NAME or NAMESPACE/NAME:VERSION (got "${word}")`,
    );
  return { namespace, name, version };
};

export const indexUrlOf = (session: Session): string | undefined => {
  const { given, streams } = session;
  const url =
    (typeof given['index-url'] === 'string' ? given['index-url'] : undefined) ??
    streams.env.MON_ASSET_INDEX_URL;
  if (url === undefined || url === '') return undefined;
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new CtlError(`--index-url must be an http or https address (got "${url}")`);
  return url.replace(/\/+$/, '');
};

export const mustHaveIndex = (session: Session): string => {
  const url = indexUrlOf(session);
  if (url !== undefined) return url;
  throw new CtlError(
    'name an index of assets with --index-url or MON_ASSET_INDEX_URL; mon-ctl asks none by itself',
  );
};

const getJson = async (session: Session, address: string, what: string): Promise<Json> => {
  const { status, text } = await sendRequest(
    { method: 'GET', url: new URL(address), headers: { Accept: 'application/json' } },
    transportOf(session.settings, session.streams.env),
  );
  if (status === 404) throw new CtlError(`the index has no ${what} (${address})`);
  if (status >= 400) throw new CtlError(`${address} answered ${status}`);
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new CtlError(`${address} did not answer with JSON; is it an index of assets?`);
  }
};

const numbers = (version: string): readonly number[] => (version.match(/\d+/g) ?? []).map(Number);

/** Negative when `one` is older. Numbers as numbers; a version with a suffix such as `-rc.1` is older than without. */
export const compareVersions = (one: string, other: string): number => {
  const [a, b] = [numbers(one.split(/[-+]/)[0] ?? ''), numbers(other.split(/[-+]/)[0] ?? '')];
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return Number(one.includes('-') ? 0 : 1) - Number(other.includes('-') ? 0 : 1);
};

/** Of an address such as `https://index.example.org/api/v1/assets/sensu/http-checks`. */
export const newestVersion = async (session: Session, address: string): Promise<string> => {
  const { versions } = await getJson(session, address, 'such asset');
  const known = (Array.isArray(versions) ? (versions as Json[]) : []).map(({ version }) => String(version));
  const newest = known.sort(compareVersions).at(-1);
  if (newest === undefined) throw new CtlError(`${address} lists no version`);
  return newest;
};

export const assetAddress = (
  index: string,
  { namespace, name }: Pick<AssetName, 'namespace' | 'name'>,
): string => `${index}/api/v1/assets/${namespace}/${name}`;

/** The definition as files hold it, and its version. */
export const fetchAsset = async (
  session: Session,
  index: string,
  asset: AssetName,
): Promise<{ readonly version: string; readonly definition: Json }> => {
  const address = assetAddress(index, asset);
  const version = asset.version ?? (await newestVersion(session, address));
  const definition = await getJson(
    session,
    `${address}/${version}/release_asset_builds`,
    `version ${version}`,
  );
  if (definition.type !== 'Asset') throw new CtlError(`${address} did not answer with an asset`);
  return { version, definition };
};
