// The configuration of the earlier generation: JSON files below a folder, merged in the order of their names.
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isMap, type Json, mergeMaps } from '../../../model/earlier/json.ts';
import { CtlError } from '../../failure.ts';
import { maxSourceBytes } from '../../limits.ts';

export interface CoreSettings {
  readonly settings: Json;
  readonly files: readonly string[];
}

const filesBelow = async (folder: string): Promise<string[]> => {
  const names = (
    await readdir(folder).catch((error: Error) => {
      throw new CtlError(`unable to read ${folder}: ${error.message}`);
    })
  ).sort();
  const found: string[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const about = await stat(path).catch(() => undefined);
    if (about?.isDirectory()) found.push(...(await filesBelow(path)));
    else if (about?.isFile() && name.endsWith('.json')) found.push(path);
  }
  return found;
};

const readOne = async (path: string): Promise<Json> => {
  const { size } = await stat(path);
  if (size > maxSourceBytes) throw new CtlError(`${path} is larger than ${maxSourceBytes} bytes`);
  const text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  try {
    const read: unknown = JSON.parse(text);
    if (!isMap(read)) throw new Error('it must be an object');
    return read;
  } catch (error) {
    throw new CtlError(`in ${path}: ${(error as Error).message}`);
  }
};

/** One file that can't be read stops it: half of a configuration means something else. */
export const readCoreSettings = async (folders: readonly string[], file?: string): Promise<CoreSettings> => {
  const files = file === undefined ? [] : [file];
  for (const folder of folders) files.push(...(await filesBelow(folder)));
  if (files.length === 0) throw new CtlError(`there is no .json file in ${folders.join(', ')}`);
  let settings: Json = {};
  for (const path of files) settings = mergeMaps(settings, await readOne(path));
  return { settings, files };
};
