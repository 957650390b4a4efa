// dump: the configuration as text that `create -f` reads back, kind by kind in the order in which it can be created.
import { once } from 'node:events';
import type { Work } from '../command.ts';
import { CtlError, RefusedError } from '../failure.ts';
import { type KindAddress, listPath } from '../kinds/addresses.ts';
import { asWrappedJson, asYaml } from '../output/documents.ts';
import { toPrivateFile, type Write } from '../output/private-file.ts';
import type { Session } from '../session.ts';
import { pageSizeOf } from './resources.ts';
import { kindsCalled } from './types.ts';

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
  if (typeof file === 'string') return toPrivateFile(file, all);
  const { out } = session.streams;
  await all(async (text) => {
    if (!out.write(text) && out.writableNeedDrain) await once(out, 'drain');
  });
};
