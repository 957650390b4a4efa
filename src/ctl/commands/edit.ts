// edit: a resource in the editor of its user, written back when it was changed. A text that is refused is kept.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '../client/api-client.ts';
import { strict, warningsOf } from '../client/warnings.ts';
import type { Work } from '../command.ts';
import { CtlError } from '../failure.ts';
import { type KindAddress, resourcePath } from '../kinds/addresses.ts';
import { asWrappedJson, asYaml } from '../output/documents.ts';
import type { Session } from '../session.ts';
import { readDocuments } from '../sources/documents.ts';
import { kindsCalled } from './types.ts';

const runEditor = (session: Session, file: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const { env } = session.streams;
    const editor = env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
    // $EDITOR may hold flags, as in `code --wait`: a shell reads it, the file is an argument of its own.
    const child =
      process.platform === 'win32'
        ? spawn(editor, [file], { stdio: 'inherit', shell: true })
        : spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code, signal) =>
      code === 0 ? resolve() : reject(new CtlError(`the editor "${editor}" ended with ${code ?? signal}`)),
    );
  });

const textOf = (session: Session, kind: KindAddress, resource: Json): Promise<string> | string => {
  const { format } = session.settings;
  return format === 'json' || format === 'wrapped-json'
    ? asWrappedJson([resource], kind)
    : asYaml([resource], kind);
};

const blank = (kind: KindAddress, namespace: string, name: string): Json => ({
  ...(kind.wrapped ? { type: kind.type, api_version: kind.apiVersion, spec: {} } : {}),
  metadata: { name, ...(kind.namespaced ? { namespace } : {}) },
});

const write = async (
  session: Session,
  kind: KindAddress,
  text: string,
  path: string,
  etag: string | undefined,
) => {
  const [resource, ...more] = await readDocuments(
    [{ name: 'the edited text', text }],
    session.settings.namespace,
  );
  if (resource === undefined || more.length > 0) throw new CtlError('the edited text must hold one resource');
  if (resource.kind !== kind)
    throw new CtlError(`the type of a resource can not be changed (it was ${kind.type})`);
  // Under the same name nobody's change in between is written over.
  const condition = etag === undefined || resource.path !== path ? {} : { 'If-Match': etag };
  const headers = { ...strict, ...condition };
  const reply = await (await session.api()).ask('PUT', resource.path, { body: resource.body, headers });
  for (const warning of warningsOf(reply)) session.note(`Warning: ${warning}`);
  session.print(`Updated ${resource.path}`);
};

export const edit: Work = async (session, [type = '', ...name]) => {
  const [kind, ...others] = kindsCalled(type);
  if (kind === undefined || others.length > 0) throw new CtlError(`invalid resource type: ${type}`);
  const isBlank = session.given.blank === 'true';
  if (!isBlank && name.length === 0) throw new CtlError(`name the ${type} to edit, or use --blank`);
  const { namespace } = session.settings;
  const path = resourcePath(kind, namespace, ...name);
  const reply = isBlank ? undefined : await (await session.api()).ask('GET', path);
  const resource =
    reply === undefined ? blank(kind, namespace, name[0] ?? '') : (JSON.parse(reply.text) as Json);
  const before = `${await textOf(session, kind, resource)}\n`;
  const dir = await mkdtemp(join(tmpdir(), 'mon-ctl-edit-'));
  const file = join(dir, before.startsWith('{') ? `${kind.path}.json` : `${kind.path}.yaml`);
  await writeFile(file, before, { mode: 0o600 });
  let keep = false;
  try {
    await runEditor(session, file);
    const after = await readFile(file, 'utf8');
    if (after === before) return session.note('nothing was changed');
    keep = true;
    await write(session, kind, after, path, reply?.headers.etag);
    keep = false;
  } catch (error) {
    if (!keep) throw error;
    throw new CtlError(
      `${(error as Error).message}\nYour text is kept in ${file}; correct it and run: mon-ctl create -f ${file}`,
    );
  } finally {
    if (!keep) await rm(dir, { recursive: true, force: true });
  }
};
