// command install, exec, list and delete: programs that come as archives with `bin/entrypoint`, kept in the cache folder.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { download } from '../../assets/download.ts';
import { unpackInThread } from '../../assets/unpack.ts';
import { assetBuildFits } from '../client/asset-build.ts';
import { fetchAsset, mustHaveIndex, readAssetName } from '../client/asset-index.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { asJson } from '../output/documents.ts';
import { table } from '../output/table.ts';
import { confirm } from '../prompt.ts';
import type { Session } from '../session.ts';
import { fromEnvironment } from '../settings/settings.ts';
import { environmentOf } from './env.ts';

interface Installed {
  readonly alias: string;
  readonly url: string;
  readonly hash: string;
}

const folderOf = (session: Session): string => {
  const { given, streams } = session;
  const cache =
    (typeof given['cache-dir'] === 'string' ? given['cache-dir'] : undefined) ??
    fromEnvironment(streams.env, 'cache-dir') ??
    join(streams.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mon', 'mon-ctl');
  return join(cache, 'commands');
};

const checkAlias = (alias: string): void => {
  if (!/^[\w-]+$/.test(alias))
    throw new CtlError(`an alias has letters, digits, - and _ only (got "${alias}")`);
};

const noteName = 'installed.json';

const readInstalled = async (folder: string): Promise<readonly Installed[]> => {
  const names = await readdir(folder).catch(() => []);
  const all = await Promise.all(
    names
      .filter((name) => !name.startsWith('.'))
      .map(async (alias) => {
        const text = await readFile(join(folder, alias, noteName), 'utf8').catch(() => undefined);
        return text === undefined ? [] : [{ alias, ...(JSON.parse(text) as Omit<Installed, 'alias'>) }];
      }),
  );
  return all.flat();
};

const sourceOf = async (session: Session, asset: string | undefined): Promise<Omit<Installed, 'alias'>> => {
  const { url, checksum } = session.given;
  if (asset !== undefined) {
    const { definition } = await fetchAsset(session, mustHaveIndex(session), readAssetName(asset));
    return assetBuildFits(definition);
  }
  if (typeof url !== 'string' || typeof checksum !== 'string')
    throw new CtlError('name an asset of an index, or give both --url and --checksum');
  return { url, hash: checksum.toLowerCase() };
};

/** There whole, or not at all. */
export const installExtension: Work = async (session, [alias = '', asset]) => {
  checkAlias(alias);
  const folder = folderOf(session);
  if ((await readInstalled(folder)).some((one) => one.alias === alias))
    throw new CtlError(`the command "${alias}" is installed already; delete it first`);
  const source = await sourceOf(session, asset);
  const { bytes, sha512 } = await download(source.url, { variables: session.streams.env }).catch(
    (error: Error) => {
      throw new CtlError(`unable to fetch ${source.url}: ${error.message}`);
    },
  );
  if (sha512 !== source.hash)
    throw new CtlError(
      `the checksum of ${source.url} is ${sha512}, not ${source.hash}: nothing was installed`,
    );
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const fresh = await mkdtemp(join(folder, '.new-'));
  try {
    await unpackInThread(bytes, join(fresh)).catch((error: Error) => {
      throw new CtlError(`unable to unpack ${source.url}: ${error.message}`);
    });
    await readFile(join(fresh, 'bin', 'entrypoint')).catch(() => {
      throw new CtlError(`${source.url} has no bin/entrypoint: it is not a command`);
    });
    await writeFile(join(fresh, noteName), JSON.stringify(source), { mode: 0o600 });
    await rename(fresh, join(folder, alias));
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error;
  }
  session.print(`Installed ${alias}`);
};

export const runExtension: Work = async (session, [alias = '', ...args]) => {
  checkAlias(alias);
  const folder = join(folderOf(session), alias);
  const known = await readInstalled(folderOf(session));
  if (!known.some((one) => one.alias === alias))
    throw new CtlError(
      `there is no command "${alias}"; installed are ${known.map((one) => one.alias).join(', ') || 'none'}`,
    );
  const child = spawn(join(folder, 'bin', 'entrypoint'), args, {
    stdio: 'inherit',
    env: { ...session.streams.env, ...(await environmentOf(session)) },
  });
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', (error) => reject(new CtlError(`unable to run ${alias}: ${error.message}`)));
    child.once('exit', (status) => resolve(status ?? 1));
  });
  if (code !== 0) throw new CtlError(`the command "${alias}" ended with ${code}`);
};

export const listExtensions: Work = async (session) => {
  const installed = await readInstalled(folderOf(session));
  if (session.settings.format !== 'tabular') return session.print(asJson(installed));
  const rows = installed.map(({ alias, url, hash }) => [alias, url, hash.slice(0, 7)]);
  session.print(table(['Alias', 'URL', 'Hash'], rows, session.look));
};

export const deleteExtension: Work = async (session, [alias = '']) => {
  checkAlias(alias);
  const folder = folderOf(session);
  if (!(await readInstalled(folder)).some((one) => one.alias === alias))
    throw new CtlError(`there is no command "${alias}"`);
  if (!(await confirm(session, `Are you sure you would like to delete command '${alias}'?`)))
    return session.print('Canceled');
  await rm(join(folder, alias), { recursive: true, force: true });
  session.print('Deleted');
};
