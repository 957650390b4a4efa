// Runtime assets of handlers, mutators and filters: the names in a definition become search paths for commands and scripts
// for the sandbox (backend sheet 6.3 to 6.5). Fetched at the first use, kept by the asset room from then on.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import type { AssetStore } from '../../assets/asset-store.ts';
import { inFrontOf } from '../../assets/asset-variables.ts';
import type { Entity } from '../../model/entity/entity.ts';
import type { Asset } from '../../model/resource/asset.ts';
import { maxAssetScriptBytes } from '../../pipeline/limits.ts';
import type { LoadAssets } from '../../pipeline/ports.ts';
import { maxKeptAssetScripts } from './limits.ts';

export interface RuntimeAssetsPorts {
  readonly store: AssetStore;
  /** This machine, as the filters and the tokens of an asset see it. */
  readonly entity: Entity;
  readonly definition: (namespace: string, name: string) => Asset | undefined;
  /** What the search paths of the assets are put in front of. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export const createRuntimeAssets = ({ store, entity, definition, env }: RuntimeAssetsPorts): LoadAssets => {
  /** By folder: what is unpacked there never changes. */
  const scripts = new LRUCache<string, Promise<readonly string[]>>({ max: maxKeptAssetScripts });
  const scriptsIn = (folder: string): Promise<readonly string[]> => {
    const known = scripts.get(folder) ?? readScripts(folder);
    scripts.set(folder, known);
    known.catch(() => scripts.delete(folder));
    return known;
  };

  return async (namespace, names) => {
    const definitions = names.map((name) => {
      const asset = definition(namespace, name);
      if (asset === undefined) throw new Error(`runtime asset "${name}" does not exist`);
      return asset;
    });
    const installed = await store.install(definitions, entity);
    if (!installed.ok) throw new Error(`error getting runtime assets: ${installed.message}`);
    const { folders, variables } = installed.value;
    return {
      env: inFrontOf(env, variables),
      scripts: async () => (await Promise.all(folders.map(scriptsIn))).flat(),
    };
  };
};

/** In the order of their paths. An asset without `lib/` brings none. */
const readScripts = async (folder: string): Promise<readonly string[]> => {
  const lib = join(folder, 'lib');
  const names = await readdir(lib, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const sources: string[] = [];
  let bytes = 0;
  for (const name of names.filter((each) => each.endsWith('.js')).sort()) {
    const source = await readFile(join(lib, name), 'utf8');
    bytes += Buffer.byteLength(source);
    if (bytes > maxAssetScriptBytes)
      throw new Error(`the scripts below lib/ of the asset are larger than ${maxAssetScriptBytes} bytes`);
    sources.push(source);
  }
  return sources;
};
