// dump: the configuration as text that `create -f` reads back, kind by kind in the order in which it can be created.
import { once } from 'node:events';
import { open, rename, rm } from 'node:fs/promises';
import type { Work } from '../command.ts';
import { CtlError, RefusedError } from '../failure.ts';
import { type KindAddress, listPath } from '../kinds/addresses.ts';
import { asWrappedJson, asYaml } from '../output/documents.ts';
import type { Session } from '../session.ts';
import { pageSizeOf } from './resources.ts';
import { kindsCalled } from './types.ts';

type Write = (text: string) => Promise<void>;

/** Refusals that mean: not for you, or not here. */
const passable: ReadonlySet<number> = new Set([402, 403, 404]);

const dumpKind = async (
  session: Session,
  kind: KindAddress,
  isFirst: boolean,
  write: Write,
): Promise<boolean> => {
  const yaml = session.settings.format !== 'wrapped-json';
  const everywhere = session.given['all-namespaces'] === 'true';
  const path = listPath(kind, everywhere ? undefined : session.settings.namespace);
  let first = isFirst;
  try {
    for await (const { items } of (await session.api()).pages(path, {}, pageSizeOf(session))) {
      if (items.length === 0) continue;
      const text = yaml ? await asYaml(items, kind) : asWrappedJson(items, kind);
      await write(`${first || !yaml ? '' : '---\n'}${text}\n`);
      first = false;
    }
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (!passable.has(error.status)) throw new CtlError(`API error: ${error.message}`);
    session.note(`${kind.path} left out: ${error.message}`);
  }
  return first;
};

/** The file is there whole, or not at all. Only its user reads it: definitions may hold secrets. */
const toFile = async (path: string, work: (write: Write) => Promise<void>): Promise<void> => {
  const next = `${path}.${process.pid}.new`;
  try {
    const handle = await open(next, 'w', 0o600);
    try {
      await work(async (text) => void (await handle.write(text)));
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error instanceof CtlError
      ? error
      : new CtlError(`unable to write ${path}: ${(error as Error).message}`);
  }
};

export const dump: Work = async (session, [word]) => {
  const types = word ?? session.given.types;
  if (typeof types !== 'string')
    throw new CtlError('name the types to dump: all, or some such as checks,handlers');
  const omitted = typeof session.given.omit === 'string' ? kindsCalled(session.given.omit) : [];
  const kinds = kindsCalled(types).filter((kind) => !omitted.includes(kind));
  const all = async (write: Write): Promise<void> => {
    let isFirst = true;
    for (const kind of kinds) isFirst = await dumpKind(session, kind, isFirst, write);
  };
  const { file } = session.given;
  if (typeof file === 'string') return toFile(file, all);
  const { out } = session.streams;
  await all(async (text) => {
    if (!out.write(text) && out.writableNeedDrain) await once(out, 'drain');
  });
};
