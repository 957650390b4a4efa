// Asset store: downloads assets once, verifies them, and keeps them in the cache directory under their checksum.
// Agents and backends have one each.
import { rm } from 'node:fs/promises';
import {
  runtimeAuthorities,
  type TrustedAuthorities,
  trusting,
} from '../model/access/trusted-authorities.ts';
import type { Entity } from '../model/entity/entity.ts';
import { substituteAsset, tokenData } from '../model/template/token-substitution.ts';
import { createTokenBucket } from '../model/token-bucket.ts';
import type { Environment } from '../program/environment.ts';
import { errorText, type Logger } from '../program/log.ts';
import { no, type Stage, yes } from '../program/stage.ts';
import { isSha512, openAssetCache } from './asset-cache.ts';
import { firstThatHolds } from './asset-filter.ts';
import { assetVariables } from './asset-variables.ts';
import { type Download, download } from './download.ts';
import { maxInstallsAtOnce } from './limits.ts';
import { createTurns } from './turns.ts';
import { unpackInThread } from './unpack.ts';

export interface AssetStoreOptions {
  readonly cacheDir: string;
  readonly ratePerSecond: number;
  readonly burst: number;
  /** Trusted authorities, read at each download. May throw if a file is unusable. */
  readonly authorities?: TrustedAuthorities;
  readonly clock: { monotonicMs(): number };
  readonly log: Logger;
}

/** The source of an asset or of one of its builds. */
interface Source {
  readonly url?: string | undefined;
  readonly sha512?: string | undefined;
  readonly filters?: readonly string[] | null | undefined;
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
}

/** An asset definition. If `builds` is not empty, it replaces the asset's own source. */
interface AssetDefinition extends Source {
  readonly metadata: { readonly name: string };
  readonly builds?: readonly Source[] | null | undefined;
}

export interface Installation {
  /** The directories of the assets, in the requested order. */
  readonly folders: readonly string[];
  /** Environment for commands: the search paths, and `<NAME>_PATH` for each asset. */
  readonly variables: Environment;
}

export interface AssetInstaller {
  /** Installs assets for the entity's machine, in order. Assets without a matching build are skipped. */
  install(assets: readonly AssetDefinition[], entity: Entity): Promise<Stage<Installation>>;
}

/** Assets installed through a lease are kept at least until it is released. */
interface AssetLease extends AssetInstaller {
  release(): void;
}

/** Assets installed without a lease are kept while this program runs. */
export interface AssetStore extends AssetInstaller {
  lease(): AssetLease;
  /** Removes assets that are not held and were not used for `unusedMs`; returns how many. */
  purge(unusedMs: number): Promise<number>;
}

interface Build {
  readonly name: string;
  readonly url: string;
  readonly sha512: string;
  readonly headers?: Readonly<Record<string, string>> | null | undefined;
}

/** The build for this machine: the first whose filters are all true, or null. */
const chooseBuild = async (asset: AssetDefinition, entity: Entity): Promise<Stage<Build | null>> => {
  const builds = asset.builds != null && asset.builds.length > 0 ? asset.builds : [asset];
  const chosen = await firstThatHolds(
    builds.map(({ filters }) => filters ?? []),
    entity,
  );
  if (!chosen.ok) return chosen;
  const build = chosen.value === null ? undefined : builds[chosen.value];
  if (build === undefined) return yes(null);
  const { url = '', sha512 = '', headers } = build;
  return yes({ name: asset.metadata.name, url, sha512: sha512.toLowerCase(), headers });
};

const humanSize = (bytes: number): string =>
  bytes < 1_000
    ? `${bytes} B`
    : bytes < 1_000_000
      ? `${(bytes / 1_000).toFixed(1)} kB`
      : `${(bytes / 1_000_000).toFixed(1)} MB`;

export const createAssetStore = (options: AssetStoreOptions): AssetStore => {
  const { clock, log } = options;
  const bucket = createTokenBucket(options.ratePerSecond, options.burst, clock.monotonicMs());
  const underWay = new Map<string, Promise<Stage<string>>>();
  const inTurn = createTurns(maxInstallsAtOnce);
  const cache = openAssetCache(options.cacheDir, log);

  const fetchVerified = async (build: Build): Promise<Stage<Download>> => {
    if (bucket.take(clock.monotonicMs()) > 0) return no("can't download asset due to rate limit");
    let fetched: Download;
    try {
      fetched = await download(build.url, {
        headers: build.headers ?? null,
        ...trusting(options.authorities ?? runtimeAuthorities),
      });
    } catch (error) {
      return no(`error fetching asset: ${errorText(error)}`);
    }
    if (fetched.sha512 === build.sha512) return yes(fetched);
    return no(
      `could not validate downloaded asset "${build.name}" (${humanSize(fetched.bytes.length)}): sha512 of downloaded asset (${fetched.sha512}) does not match specified sha512 in asset definition (${build.sha512})`,
    );
  };

  const unpack = async (bytes: Buffer, sha512: string): Promise<Stage<string>> => {
    let aside: string | undefined;
    try {
      aside = await cache.aside();
      await unpackInThread(bytes, aside);
      return yes(cache.settle(aside, sha512));
    } catch (error) {
      if (aside !== undefined) await rm(aside, { recursive: true, force: true });
      return no(`error extracting asset: ${errorText(error)}`);
    }
  };

  const fetchInto = async (build: Build): Promise<Stage<string>> => {
    const fetched = await fetchVerified(build);
    if (!fetched.ok) return fetched;
    const unpacked = await unpack(fetched.value.bytes, build.sha512);
    if (unpacked.ok) log.info({ asset: build.name, path: unpacked.value }, 'asset installed');
    return unpacked;
  };

  /** Installs a few assets at a time; concurrent requests for the same asset share one installation. */
  const ensure = (build: Build): Promise<Stage<string>> => {
    const waiting = underWay.get(build.sha512);
    if (waiting !== undefined) return waiting;
    if (cache.has(build.sha512)) return Promise.resolve(yes(cache.pathOf(build.sha512)));
    const installing = inTurn(() => fetchInto(build)).finally(() => underWay.delete(build.sha512));
    underWay.set(build.sha512, installing);
    return installing;
  };

  const installOne = async (
    asset: AssetDefinition,
    entity: Entity,
    hold: (sha512: string) => void,
  ): Promise<Stage<{ name: string; path: string } | null>> => {
    const { name } = asset.metadata;
    const filled = substituteAsset(asset, tokenData(entity));
    if (!filled.ok) return no(`error while substituting asset "${name}" tokens: ${filled.message}`);
    const build = await chooseBuild(filled.value, entity);
    if (!build.ok) return build;
    if (build.value === null) {
      log.warn({ asset: name }, 'entity not filtered from any asset builds, not installing asset');
      return yes(null);
    }
    if (!isSha512(build.value.sha512)) return no(`asset "${name}" has no SHA-512 checksum of 128 hex digits`);
    hold(build.value.sha512);
    const installed = await ensure(build.value);
    return installed.ok ? yes({ name, path: installed.value }) : installed;
  };

  const installWith =
    (hold: (sha512: string) => void): AssetInstaller['install'] =>
    async (assets, entity) => {
      const installed: { name: string; path: string }[] = [];
      for (const asset of assets) {
        const one = await installOne(asset, entity, hold);
        if (!one.ok) return one;
        if (one.value !== null) installed.push(one.value);
      }
      return yes({ folders: installed.map(({ path }) => path), variables: assetVariables(installed) });
    };

  const kept = new Set<string>();
  return {
    install: installWith((sha512) => {
      if (kept.has(sha512)) return;
      kept.add(sha512);
      cache.hold(sha512);
    }),
    lease: () => {
      const releases: (() => void)[] = [];
      return {
        install: installWith((sha512) => releases.push(cache.hold(sha512))),
        release: () => {
          for (const release of releases.splice(0)) release();
        },
      };
    },
    purge: cache.purge,
  };
};
