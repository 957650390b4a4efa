// Resources in a text: documents parted by `---`, each in YAML, or in JSON with one object or several after one another. What is wrong
// names the file and the number of the document.
import { quoteLongTimestamps } from '../../model/event/exact-timestamps.ts';
import { isObject } from '../../model/schema/is-object.ts';
import type { Json } from '../client/api-client.ts';
import { CtlError } from '../failure.ts';
import { type KindAddress, kindAddresses, resourcePath } from '../kinds/addresses.ts';
import { at } from '../output/values.ts';
import type { Source } from './read-sources.ts';

/** A resource of a file, ready to be sent. */
export interface Described {
  /** `file: resource 3`, for errors. */
  readonly where: string;
  /** Counted from 0 over all files, as the reference does. */
  readonly index: number;
  readonly kind: KindAddress;
  readonly name: string;
  readonly namespace: string;
  readonly path: string;
  /** As the API takes it. Timestamps of metrics that a number would round are text, which the backend takes as well. */
  readonly body: Json;
  readonly text: DocumentText;
}

/** Where a document comes from: enough to find a field in its file again. */
export interface DocumentText {
  readonly file: string;
  /** Of the file, up to the document. */
  readonly before: string;
  readonly text: string;
  /** Of a list of resources, which one. */
  readonly item?: number;
}

/** A document that can't be read. */
export class DocumentError extends CtlError {
  readonly reason: string;
  readonly document: DocumentText;

  constructor(where: string, reason: string, document: DocumentText) {
    super(`in ${where}: ${reason}`);
    this.reason = reason;
    this.document = document;
  }
}

/** The end of the JSON value that begins at `start`; -1 when it does not end. */
const endOfObject = (text: string, start: number): number => {
  let depth = 0;
  let inString = false;
  for (let index = start; index < text.length; index += 1) {
    const character = text[index];
    if (inString) {
      if (character === '\\') index += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
};

/** A value of a document, and where in its text it stands. */
interface Found {
  readonly value: unknown;
  /** Of its text in the document. */
  readonly start: number;
  readonly end: number;
  readonly item?: number;
}

const itemsOf = (value: unknown, start: number, end: number): readonly Found[] =>
  Array.isArray(value)
    ? value.map((one: unknown, item) => ({ value: one, start, end, item }))
    : [{ value, start, end }];

function* jsonValues(text: string): Generator<Found> {
  let start = text.search(/\S/);
  while (start >= 0 && start < text.length) {
    const end = endOfObject(text, start);
    const stop = end < 0 ? text.length : end;
    yield* itemsOf(JSON.parse(quoteLongTimestamps(text.slice(start, stop))), start, stop);
    const next = end < 0 ? -1 : text.slice(end).search(/[^\s,]/);
    start = next < 0 ? -1 : end + next;
  }
}

type ReadYaml = (text: string, options: { readonly exactTimestamps: true }) => unknown;

function* valuesOf(text: string, readYaml: ReadYaml): Generator<Found> {
  if (/^\s*[{[]/.test(text)) {
    yield* jsonValues(text);
    return;
  }
  const value = readYaml(text, { exactTimestamps: true });
  if (value !== null && value !== undefined) yield* itemsOf(value, 0, text.length);
}

/** `core/v2.5.1` means `core/v2`. */
const majorVersion = (version: string): string => version.replace(/^(.*\/v\d+)(\.\d+)+$/, '$1');

/** What dumps of the reference call the configuration of an entity. */
const isEntityConfig = (type: string, version: string): boolean =>
  type === 'EntityConfig' && version === 'core/v3';

const kindOf = (type: string, apiVersion: string): KindAddress => {
  const version = majorVersion(apiVersion);
  if (isEntityConfig(type, version)) return kindOf('Entity', 'core/v2');
  const found = kindAddresses.find((kind) => kind.apiVersion === version && kind.types.includes(type));
  if (found !== undefined) return found;
  throw new CtlError(
    `error parsing spec: unknown type "${type}" of api_version "${apiVersion}"; "mon-ctl describe-type all" lists those that are known`,
  );
};

const outerKeys: ReadonlySet<string> = new Set(['type', 'api_version', 'metadata', 'spec']);

const mergedMetadata = (outer: Json, inner: Json): Json => {
  const merged: Json = {
    ...inner,
    ...Object.fromEntries(Object.entries(outer).filter(([, value]) => value !== '' && value !== null)),
  };
  for (const key of ['labels', 'annotations'])
    if (isObject(outer[key]) && isObject(inner[key])) merged[key] = { ...inner[key], ...outer[key] };
  return merged;
};

/** What the parts of its address are: an event is of an entity and a check, users and namespaces have no metadata. */
const nameParts = (kind: KindAddress, body: Json): readonly string[] => {
  const part = (path: string): string => {
    const value = at(body, path);
    if (typeof value === 'string' && value !== '') return value;
    throw new CtlError(`error parsing spec: ${path} is missing`);
  };
  if (kind.path === 'events') return [part('entity.metadata.name'), part('check.metadata.name')];
  if (kind.path === 'users') return [part('username')];
  if (kind.path === 'namespaces') return [part('name')];
  return [part('metadata.name')];
};

const hasMetadata = (kind: KindAddress): boolean => kind.path !== 'users' && kind.path !== 'namespaces';

const describe = (raw: unknown, defaultNamespace: string): Omit<Described, 'where' | 'index' | 'text'> => {
  const wrong = (why: string) => new CtlError(`error parsing data as wrapped-json: ${why}`);
  if (!isObject(raw)) throw wrong('a resource must be an object with type, api_version, metadata and spec');
  const unknown = Object.keys(raw).find((key) => !outerKeys.has(key));
  if (unknown !== undefined)
    throw wrong(`unknown field "${unknown}"; fields of the resource belong under "spec"`);
  const { type, api_version: apiVersion = 'core/v2', metadata = {}, spec } = raw;
  if (typeof type !== 'string' || type === '') throw wrong('type is missing, e.g. "type": "CheckConfig"');
  if (typeof apiVersion !== 'string') throw wrong('api_version must be a string');
  if (metadata !== null && !isObject(metadata)) throw wrong('metadata must be an object');
  if (spec === undefined || spec === null) throw new CtlError('no spec provided');
  if (!isObject(spec)) throw wrong('spec must be an object');
  const kind = kindOf(type, apiVersion);
  const { metadata: inner, ...rest } = spec;
  const merged = mergedMetadata(metadata ?? {}, isObject(inner) ? inner : {});
  if (kind.namespaced && !merged.namespace)
    merged.namespace = at(rest, 'entity.metadata.namespace') || defaultNamespace;
  const namespace = kind.namespaced ? String(merged.namespace) : '';
  const body: Json = kind.wrapped
    ? { type, api_version: kind.apiVersion, metadata: merged, spec: rest }
    : { ...rest, ...(hasMetadata(kind) ? { metadata: merged } : {}) };
  const name = nameParts(kind, body);
  return { kind, name: name.join('/'), namespace, path: resourcePath(kind, namespace, ...name), body };
};

/** The documents of a file, those that hold nothing left out. */
function* documentsOf({ name, text }: Source): Generator<DocumentText> {
  let start = 0;
  for (const part of text.split(/^(---[ \t]*(?:#.*)?\r?$)/m)) {
    if (!/^---[ \t]*(?:#.*)?\r?$/.test(part) && part.trim() !== '')
      yield { file: name, before: text.slice(0, start), text: part };
    start += part.length;
  }
}

/** Every resource of every source. What can't be read is handed to `wrong`, which throws, or goes on to the next document. */
export const readDocuments = async (
  sources: readonly Source[],
  defaultNamespace: string,
  wrong: (error: DocumentError) => void = (error) => {
    throw error;
  },
): Promise<Described[]> => {
  const { readYaml } = await import('../../program/yaml.ts');
  const found: Described[] = [];
  for (const source of sources) {
    let number = 0;
    for (const document of documentsOf(source)) {
      number += 1;
      let text = document;
      try {
        for (const { value, start, end, item } of valuesOf(document.text, readYaml)) {
          text = {
            file: source.name,
            before: document.before + document.text.slice(0, start),
            text: document.text.slice(start, end),
            ...(item === undefined ? {} : { item }),
          };
          const where = `${source.name}: document ${number}`;
          found.push({ ...describe(value, defaultNamespace), where, index: found.length, text });
        }
      } catch (error) {
        wrong(new DocumentError(`${source.name}: document ${number}`, (error as Error).message, text));
      }
    }
  }
  return found;
};
