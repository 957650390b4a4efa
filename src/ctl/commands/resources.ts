// The generic commands of a kind: list, info, create, update, delete, and one field of a resource set or removed.
import type { Json } from '../client/api-client.ts';
import type { Reply } from '../client/http-request.ts';
import { strict, warningsOf } from '../client/warnings.ts';
import { CtlError, RefusedError } from '../failure.ts';
import { kindOfPath, listPath, resourcePath } from '../kinds/addresses.ts';
import type { Field, KindCommands } from '../kinds/kind-commands.ts';
import { asJson, asWrappedJson, asYaml } from '../output/documents.ts';
import { details, table } from '../output/table.ts';
import { ask, confirm } from '../prompt.ts';

import type { Session } from '../session.ts';
import { secondsOf } from '../settings/seconds.ts';

const nounOf = (kind: KindCommands): string => kind.words.join(' ');

const warn = (session: Session, reply: Pick<Reply, 'headers'>): void => {
  for (const warning of warningsOf(reply)) session.note(`Warning: ${warning}`);
};

/** A refusal of what does not exist says what that is. */
export const describing = async <T>(
  session: Session,
  what: string,
  namespaced: boolean,
  work: Promise<T>,
): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    if (
      !(error instanceof RefusedError) ||
      error.status !== 404 ||
      !/^(resource )?not found/i.test(error.message)
    )
      throw error;
    const where = namespaced ? ` in namespace "${session.settings.namespace}"` : '';
    throw new RefusedError(`${what}${where}: ${error.message}`, error.status, error.code);
  }
};

export const onePath = (session: Session, kind: KindCommands, name: readonly string[]): string =>
  resourcePath(kindOfPath(kind.path), session.settings.namespace, ...name);

const about = <T>(
  session: Session,
  kind: KindCommands,
  name: readonly string[],
  work: Promise<T>,
): Promise<T> =>
  describing(session, `${nounOf(kind)} "${name.join('/')}"`, kindOfPath(kind.path).namespaced, work);

export const read = async (session: Session, kind: KindCommands, name: readonly string[]): Promise<Json> =>
  about(session, kind, name, (await session.api()).getOne(onePath(session, kind, name)));

export const show = async (
  session: Session,
  kind: KindCommands,
  resources: readonly Json[],
  single: boolean,
): Promise<void> => {
  const address = kindOfPath(kind.path);
  const { format } = session.settings;
  if (format === 'json') return session.print(asJson(single ? resources[0] : resources));
  if (format === 'yaml' || format === 'wrapped-json') {
    if (resources.length === 0) return;
    return session.print(
      await (format === 'yaml' ? asYaml(resources, address) : asWrappedJson(resources, address)),
    );
  }
  const [first] = resources;
  if (single && first !== undefined) {
    const rows = kind.rows.map(({ title, cell }) => [title, cell(first)] as const);
    return session.print(details((kind.title ?? kind.name)(first), rows, session.look));
  }
  const titles = kind.columns.map(({ title }) => title);
  const shownRows = kind.split === undefined ? resources : resources.flatMap(kind.split);
  const cells = shownRows.map((resource) => kind.columns.map(({ cell }) => cell(resource)));
  session.print(table(titles, cells, session.look));
};

const text = (session: Session, name: string): string | undefined => {
  const value = session.given[name];
  return typeof value === 'string' ? value : undefined;
};

export const pageSizeOf = (session: Session): number | undefined => {
  const word = text(session, 'chunk-size');
  if (word === undefined || word === '0') return undefined;
  if (!/^\d+$/.test(word)) throw new CtlError(`--chunk-size must be a number of at least 0 (got "${word}")`);
  return Number(word);
};

/** Every page of a list, with the selectors of the command line. On a terminal a long one says how far it is. */
export const fetchList = async (session: Session, path: string): Promise<Json[]> => {
  const query = {
    fieldSelector: text(session, 'field-selector'),
    labelSelector: text(session, 'label-selector'),
  };
  const found: Json[] = [];
  let pages = 0;
  const tells = session.streams.err.isTTY === true;
  for await (const { items, headers } of (await session.api()).pages(
    path,
    query as Record<string, string>,
    pageSizeOf(session),
  )) {
    for (const item of items) found.push(item);
    pages += 1;
    if (tells && pages > 1) session.streams.err.write(`\r${found.length} so far`);
    const warning = headers['mon-entity-warning'] ?? headers['sensu-entity-warning'];
    if (pages === 1) warn(session, { headers });
    if (pages === 1 && typeof warning === 'string' && session.settings.format === 'tabular')
      session.print(`=== ${warning}`);
  }
  if (tells && pages > 1) session.streams.err.write('\r\u001b[K');
  return found;
};

export const list =
  (kind: KindCommands) =>
  async (session: Session): Promise<void> => {
    const everywhere = text(session, 'all-namespaces') === 'true';
    const path = listPath(kindOfPath(kind.path), everywhere ? undefined : session.settings.namespace);
    await show(session, kind, await fetchList(session, path), false);
  };

export const info =
  (kind: KindCommands) =>
  async (session: Session, name: readonly string[]): Promise<void> =>
    show(session, kind, [await read(session, kind, name)], true);

export const remove =
  (kind: KindCommands) =>
  async (session: Session, name: readonly string[]): Promise<void> => {
    const asked = `Are you sure you would like to delete ${nounOf(kind)} resource '${name.join('/')}'?`;
    if (!(await confirm(session, asked))) return session.print('Canceled');
    await about(session, kind, name, (await session.api()).ask('DELETE', onePath(session, kind, name)));
    session.print('Deleted');
  };

/** Sets what stands at a path such as `socket.port`; undefined takes it away. */
const setAt = (resource: Json, path: string, value: unknown): void => {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let target = resource;
  for (const key of keys) {
    if (typeof target[key] !== 'object' || target[key] === null) target[key] = {};
    target = target[key] as Json;
  }
  if (value === undefined) delete target[last];
  else target[last] = value;
};

/** What a flag says, as the field holds it. */
const fieldValue = (field: Field, raw: unknown): unknown => {
  const word = Array.isArray(raw) ? String(raw[0] ?? '') : String(raw);
  const refuse = (why: string) => new CtlError(`--${field.flag.name} must be ${why} (got "${word}")`);
  if (field.type === 'list') return raw;
  if (field.type === 'integer') {
    if (!/^-?\d+$/.test(word)) throw refuse('a whole number');
    return Number(word);
  }
  if (field.type === 'seconds') return word === '-1' ? -1 : secondsOf(`--${field.flag.name}`, word);
  if (field.type === 'switch') {
    if (word === 'true' || word === 'false') return word === 'true';
    throw refuse('true or false');
  }
  return word;
};

const split = (word: string): string[] =>
  word
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

const askField = async (session: Session, field: Field): Promise<unknown> => {
  const answer = await ask(session, field.flag.help);
  if (answer === '') return undefined;
  return field.type === 'list' ? (field.flag.whole === true ? [answer] : split(answer)) : answer;
};

/** Fills a resource from the flags; the rest is asked for on a terminal (`--interactive`), or gets its default. */
const fill = async (session: Session, kind: KindCommands, resource: Json): Promise<void> => {
  const interactive = text(session, 'interactive') === 'true';
  for (const field of kind.fields) {
    if (field.path === '') continue;
    let raw: unknown = session.given[field.flag.name];
    if (raw === undefined && (interactive || (field.asked === true && session.canAsk)))
      raw = await askField(session, field);
    const value = raw === undefined ? field.otherwise : fieldValue(field, raw);
    if (value !== undefined) setAt(resource, field.path, value);
  }
};

export const create =
  (kind: KindCommands) =>
  async (session: Session, [name = '']: readonly string[]): Promise<void> => {
    const address = kindOfPath(kind.path);
    const { namespace } = session.settings;
    const resource: Json =
      kind.namePath === undefined ? { metadata: { name, ...(address.namespaced ? { namespace } : {}) } } : {};
    if (kind.namePath !== undefined) setAt(resource, kind.namePath, name);
    await fill(session, kind, resource);
    kind.complete?.(resource, session.given);
    const reply = await (await session.api()).ask('POST', listPath(address, namespace), {
      body: resource,
      headers: strict,
    });
    warn(session, reply);
    session.print('Created');
  };

/**
 * Reads, changes, writes back. The write holds only over what was read, so nobody's change in between is lost; then it is
 * tried again from the start.
 */
export const change = async (
  session: Session,
  kind: KindCommands,
  name: readonly string[],
  alter: (resource: Json) => void,
): Promise<void> => {
  const api = await session.api();
  const path = onePath(session, kind, name);
  for (let attempt = 1; ; attempt += 1) {
    const reply = await about(session, kind, name, api.ask('GET', path));
    const resource = JSON.parse(reply.text) as Json;
    alter(resource);
    const { etag } = reply.headers;
    try {
      const written = await api.ask('PUT', path, {
        body: resource,
        ...(etag === undefined ? {} : { headers: { 'If-Match': etag } }),
      });
      warn(session, written);
      return;
    } catch (error) {
      const isStale = error instanceof RefusedError && error.status === 412;
      if (!isStale || attempt === 5) throw error;
    }
  }
};

export const update =
  (kind: KindCommands) =>
  async (session: Session, [name = '']: readonly string[]): Promise<void> => {
    const fields = kind.fields.filter(({ path }) => path !== '');
    const wanted = new Map<Field, unknown>();
    for (const field of fields) {
      const raw = session.given[field.flag.name];
      if (raw !== undefined) wanted.set(field, fieldValue(field, raw));
    }
    if (wanted.size === 0 && session.canAsk) {
      const current = await read(session, kind, [name]);
      for (const field of fields) {
        const value = field.path
          .split('.')
          .reduce<unknown>((at, key) => (at as Json | undefined)?.[key], current);
        const before = Array.isArray(value) ? value.join(',') : String(value ?? '');
        const answer = await ask(session, field.flag.help, before);
        if (answer !== before)
          wanted.set(field, fieldValue(field, field.type === 'list' ? split(answer) : answer));
      }
    } else if (wanted.size === 0) {
      throw new CtlError(
        `nothing to update: give at least one of ${fields.map(({ flag }) => `--${flag.name}`).join(', ')}`,
      );
    }
    await change(session, kind, [name], (resource) => {
      for (const [field, value] of wanted) setAt(resource, field.path, value);
      kind.follow?.(resource, new Set([...wanted.keys()].map(({ path }) => path)));
    });
    session.print('Updated');
  };

export const setField =
  (kind: KindCommands, field: Field) =>
  async (session: Session, [name = '', word = '']: readonly string[]): Promise<void> => {
    const value = fieldValue(field, field.type === 'list' ? split(word) : word);
    await change(session, kind, [name], (resource) => {
      setAt(resource, field.path, value);
      kind.follow?.(resource, new Set([field.path]));
    });
    session.print('Updated');
  };

export const removeField =
  (kind: KindCommands, field: Field) =>
  async (session: Session, [name = '']: readonly string[]): Promise<void> => {
    await change(session, kind, [name], (resource) =>
      setAt(resource, field.path, field.type === 'list' ? [] : undefined),
    );
    session.print('Removed');
  };
