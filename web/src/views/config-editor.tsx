// One resource as JSON: read, changed, saved by the API, which says what is wrong and where. Knows no kind by name.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { ApiError, encode, inNamespace, request, send } from '../lib/api.ts';
import { addressOf, type ConfigKind, collectionOf, nameOf, type Resource } from '../lib/config-kinds.ts';
import { type Place, placeOfField, placeOfParse } from '../lib/json-place.ts';
import { usePolled } from '../lib/live.ts';
import { attempt, notify } from '../lib/notices.ts';
import { type ProblemsByName, readProblems, warningsOf } from '../lib/problems.ts';
import { go, href } from '../lib/router.ts';
import { CopyButton, Empty, Json, Panel, Problem } from '../parts/bits.tsx';
import { ProblemList } from '../parts/problem-marks.tsx';

interface Props {
  readonly namespace: string;
  readonly kind: ConfigKind;
  /** Undefined for a new one. */
  readonly name: string | undefined;
}

const preconditionFailed = 412;
const problemsEveryMs = 10_000;
const pretty = (value: unknown): string => JSON.stringify(value, null, 2);
const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Reads it with its tag, so that a change by somebody else is noticed before it is overwritten. */
const read = async (path: string): Promise<{ resource: Resource; tag: string }> => {
  const response = await request(path);
  return { resource: (await response.json()) as Resource, tag: response.headers.get('etag') ?? '' };
};

export const listPath = (namespace: string, kind: ConfigKind): string =>
  `/n/${encode(namespace)}/config/${kind.path}`;

export const ConfigEditor = ({ namespace, kind, name }: Props) => {
  const loaded = useSignal<Resource | undefined>(name === undefined ? kind.blank : undefined);
  const tag = useSignal('');
  const text = useSignal(name === undefined ? pretty(kind.blank) : '');
  const problem = useSignal('');
  const complaint = useSignal<{ readonly text: string; readonly place: Place | undefined } | undefined>(
    undefined,
  );
  const isBusy = useSignal(false);
  const secret = useSignal('');
  const field = useRef<HTMLTextAreaElement>(null);

  const problems = usePolled<ProblemsByName>(`problems of ${kind.path} ${name}`, problemsEveryMs, () =>
    readProblems(namespace, kind),
  );

  const load = async (): Promise<void> => {
    if (name === undefined) return;
    try {
      const found = await read(addressOf(kind, namespace, name));
      loaded.value = found.resource;
      tag.value = found.tag;
      text.value = pretty(found.resource);
      problem.value = '';
      complaint.value = undefined;
    } catch (error) {
      problem.value = wordsOf(error);
    }
  };
  useEffect(() => void load(), []);

  const complain = (words: string, place: Place | undefined): void => {
    complaint.value = { text: words, place };
  };
  const jump = (place: Place): void => {
    field.current?.focus();
    field.current?.setSelectionRange(place.start, place.end);
  };
  const parse = (): Resource | undefined => {
    try {
      const value: unknown = JSON.parse(text.value);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Resource;
      complain('The text must be one JSON object: { … }.', undefined);
    } catch (error) {
      complain(`This is not JSON yet: ${wordsOf(error)}`, placeOfParse(text.value, wordsOf(error)));
    }
    return undefined;
  };
  /** Refused when somebody else changed it since it was read; saved again, it overwrites that. */
  const replace = async (path: string, resource: Resource): Promise<boolean> => {
    const headers = tag.value === '' ? {} : { 'if-match': tag.value };
    try {
      await request(path, { method: 'PUT', headers, body: JSON.stringify(resource) });
      return true;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== preconditionFailed) throw error;
      tag.value = (await read(path)).tag;
      complain(
        'Somebody changed it since you opened it. Save again to overwrite that, or reload it.',
        undefined,
      );
      return false;
    }
  };
  const save = async (): Promise<void> => {
    const resource = parse();
    if (resource === undefined || isBusy.value) return;
    isBusy.value = true;
    try {
      if (name === undefined) await create(resource);
      else {
        const path = addressOf(kind, namespace, name);
        if (!(await replace(path, resource))) return;
        notify('done', `Saved ${kind.one} ${name}`);
        await load();
        problems.again();
      }
    } catch (error) {
      complain(wordsOf(error), placeOfField(text.value, wordsOf(error)));
    } finally {
      isBusy.value = false;
    }
  };
  /** Under its name, and only if nothing is there yet. */
  const put = (resource: Resource): Promise<Response> => {
    const wanted = nameOf(resource);
    if (wanted === '') throw new Error('metadata.name must be given');
    return request(addressOf(kind, namespace, wanted), {
      method: 'PUT',
      headers: { 'if-none-match': '*' },
      body: JSON.stringify(resource),
    });
  };
  const create = async (resource: Resource): Promise<void> => {
    const answer =
      kind.creation === 'POST'
        ? await send('POST', collectionOf(kind, namespace), resource)
        : await put(resource);
    const made = answer.headers.get('location')?.split('/').at(-1);
    notify('done', `Made ${kind.one} ${made === undefined ? nameOf(resource) : ''}`);
    // A key is told once, here.
    if (made !== undefined) secret.value = made;
    else go(`${listPath(namespace, kind)}/${encode(nameOf(resource))}`, 'replace');
  };
  const remove = async (): Promise<void> => {
    if (name === undefined || !confirm(`${kind.removal} the ${kind.one} “${name}”?`)) return;
    const done = kind.removal === 'Disable' ? 'Disabled' : 'Deleted';
    if (await attempt(`${done} ${name}`, () => send('DELETE', addressOf(kind, namespace, name))))
      go(listPath(namespace, kind));
  };
  const runNow = (): Promise<boolean> =>
    attempt(`Asked to run ${name}`, async () => {
      const path = inNamespace(namespace, `checks/${encode(name ?? '')}/execute`);
      for (const warning of warningsOf(await send('POST', path, { check: name }))) notify('failed', warning);
    });

  const isOpen = name === undefined || kind.acts.includes('edit');
  const isChanged = text.value !== pretty(loaded.value);
  return (
    <>
      <header class="page-head">
        <div>
          <p class="crumbs">
            <a href={href(listPath(namespace, kind))}>{kind.title}</a> /
          </p>
          <h1 class={name === undefined ? '' : 'mono'}>{name ?? `New ${kind.one}`}</h1>
        </div>
        <div class="row">
          {kind.path === 'checks' && name !== undefined && (
            <button type="button" onClick={runNow}>
              Run now
            </button>
          )}
          {name !== undefined && kind.acts.includes('remove') && (
            <button type="button" class="danger" onClick={remove}>
              {kind.removal}…
            </button>
          )}
        </div>
      </header>
      {name !== undefined && <ProblemList reasons={problems.data?.get(name)} />}
      {problem.value !== '' && <Problem text={problem.value} again={() => void load()} />}
      {secret.value !== '' && (
        <p class="preview">
          Keep this key now, it is not shown again: <code>{secret.value}</code>{' '}
          <CopyButton text={secret.value} />
        </p>
      )}
      {!isOpen && loaded.value !== undefined && (
        <Panel title={kind.one}>
          <Json value={loaded.value} />
        </Panel>
      )}
      {isOpen && loaded.value !== undefined && secret.value === '' && (
        <div class="editor">
          <Panel title="JSON" aside={isChanged ? 'changed' : ''}>
            <textarea
              ref={field}
              aria-label={`${kind.one} as JSON`}
              rows={Math.min(34, Math.max(12, text.value.split('\n').length + 1))}
              spellcheck={false}
              aria-invalid={complaint.value !== undefined}
              value={text.value}
              onInput={(event) => {
                text.value = event.currentTarget.value;
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void save();
              }}
            />
            <div class="row end">
              {name !== undefined && (
                <button type="button" onClick={() => void load()}>
                  Reload
                </button>
              )}
              <button type="button" class="primary" disabled={isBusy.value} onClick={() => void save()}>
                {name === undefined ? 'Create' : 'Save'}
              </button>
            </div>
          </Panel>
          <Panel title="What the backend says">
            {complaint.value === undefined ? (
              <Empty>
                {name === undefined
                  ? 'Nothing yet. Ctrl+Enter creates it.'
                  : isChanged
                    ? 'Not saved yet. Ctrl+Enter saves.'
                    : 'It is as shown here.'}
              </Empty>
            ) : (
              <Complaint {...complaint.value} onJump={jump} />
            )}
          </Panel>
        </div>
      )}
    </>
  );
};

const Complaint = ({
  text,
  place,
  onJump,
}: {
  text: string;
  place: Place | undefined;
  onJump: (place: Place) => void;
}) => (
  <div role="alert" class="complaint">
    <p>{text}</p>
    {place !== undefined && (
      <button type="button" onClick={() => onJump(place)}>
        {place.field !== '' && <code>{place.field}</code>} line {place.line}
      </button>
    )}
  </div>
);
