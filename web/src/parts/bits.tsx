// Small parts every view uses: panels, empty states, errors, time that ages, JSON, a copy button.
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { nowByTheSecond } from '../lib/clock.ts';
import { ago, dateTime } from '../lib/format.ts';

export const Panel = (props: {
  title: ComponentChildren;
  aside?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
}) => (
  <section class={`panel ${props.class ?? ''}`}>
    <header>
      <h2>{props.title}</h2>
      {props.aside !== undefined && <div class="aside">{props.aside}</div>}
    </header>
    {props.children}
  </section>
);

export const Empty = ({ children }: { children: ComponentChildren }) => <p class="empty">{children}</p>;

export const Problem = ({ text, again }: { text: string; again?: () => void }) => (
  <p class="problem" role="alert">
    {text}
    {again !== undefined && (
      <button type="button" onClick={again}>
        Try again
      </button>
    )}
  </p>
);

/** What somebody may not see, instead of an error in red. */
export const Refused = ({ what, hint }: { what: string; hint: string }) => (
  <div class="quiet-page refused" role="status">
    <p>You may not {what}.</p>
    <p class="dim">{hint}</p>
  </div>
);

export const NoStatechart = () => (
  <p class="empty">
    You may not see statecharts. A role with the verb <code>inspect:get</code> on <code>actors</code> lets
    you.
  </p>
);

export const Ago = ({ at }: { at: number }) => (
  <time
    class="num"
    dateTime={at > 0 ? new Date(at * 1000).toISOString() : ''}
    title={at > 0 ? dateTime(at * 1000) : ''}
  >
    {ago(at, nowByTheSecond.value)}
  </time>
);

export const CopyButton = ({ text }: { text: string }) => {
  const done = useSignal(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(text);
    done.value = true;
    setTimeout(() => {
      done.value = false;
    }, 1_200);
  };
  return (
    <button type="button" class="quiet" onClick={copy}>
      {done.value ? 'copied' : 'copy'}
    </button>
  );
};

/** A JSON value as a tree that opens where it is small. */
export const Json = ({ value, name, depth = 0 }: { value: unknown; name?: string; depth?: number }) => {
  const label = name === undefined ? null : <span class="json-key">{name}</span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div class="json-row">
        {label}
        <span class={`json-value ${value === null ? 'null' : typeof value}`}>
          {typeof value === 'string' ? value : JSON.stringify(value)}
        </span>
      </div>
    );
  const entries = Object.entries(value);
  const kind = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0)
    return (
      <div class="json-row">
        {label}
        <span class="json-value null">{Array.isArray(value) ? '[]' : '{}'}</span>
      </div>
    );
  return (
    <details class="json" open={depth < 1 || (depth < 3 && entries.length < 9 && name !== 'history')}>
      <summary>
        {label} <span class="json-kind">{kind}</span>
      </summary>
      <div class="json-inner">
        {entries.map(([key, inner]) => (
          <Json key={key} name={key} value={inner} depth={depth + 1} />
        ))}
      </div>
    </details>
  );
};

export const Chip = (props: {
  on: boolean;
  onClick: () => void;
  children: ComponentChildren;
  title?: string;
}) => (
  <button
    type="button"
    class={`chip ${props.on ? 'on' : ''}`}
    aria-pressed={props.on}
    title={props.title}
    onClick={props.onClick}
  >
    {props.children}
  </button>
);

export const Facts = ({ rows }: { rows: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);
