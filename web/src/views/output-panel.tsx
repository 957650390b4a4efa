// What the check said, as a terminal would show it: wrapped or not, whole or a part, searched.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import {
  matchesIn,
  piecesOf,
  type Range,
  type ReadOutput,
  readOutput,
  withLinks,
} from '../lib/output-text.ts';
import { CopyButton, Panel } from '../parts/bits.tsx';
import { Away } from '../parts/linked-text.tsx';

export const OutputPanel = ({ output }: { output: string }) => {
  const isWrapped = useSignal(true);
  const isWhole = useSignal(false);
  const wanted = useSignal('');
  const current = useSignal(0);
  const holder = useRef<HTMLPreElement>(null);
  const read = useMemo(() => readOutput(output), [output]);
  const links = useMemo(() => withLinks(read.text), [read]);
  const matches = useMemo(() => matchesIn(read.text, wanted.value), [read, wanted.value]);
  const at = matches.length === 0 ? -1 : current.value % matches.length;
  useEffect(() => {
    holder.current?.querySelector('mark.current')?.scrollIntoView({ block: 'nearest' });
  }, [at, matches]);
  const step = (by: number): void => {
    current.value = (current.value + by + matches.length) % Math.max(1, matches.length);
  };
  return (
    <Panel title="Output" class="check-output" aside={<CopyButton text={read.text} />}>
      <div class="output-tools">
        <input
          type="search"
          aria-label="Search the output"
          placeholder="Search the output"
          value={wanted.value}
          onInput={(event) => {
            wanted.value = event.currentTarget.value;
            current.value = 0;
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
          }}
        />
        {wanted.value !== '' && (
          <span class="dim num" role="status">
            {matches.length === 0 ? 'not found' : `${at + 1} of ${matches.length}`}
          </span>
        )}
        <Toggle label="wrap" on={isWrapped.value} onClick={() => (isWrapped.value = !isWrapped.value)} />
        <Toggle label="expand" on={isWhole.value} onClick={() => (isWhole.value = !isWhole.value)} />
      </div>
      <pre
        ref={holder}
        class={`output ${isWrapped.value ? '' : 'unwrapped'} ${isWhole.value ? 'whole' : ''}`}
        dir="auto"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
      >
        {read.text === '' ? (
          'The check said nothing.'
        ) : (
          <Text read={read} links={links} matches={matches} current={at} />
        )}
      </pre>
    </Panel>
  );
};

const Toggle = ({ label, on, onClick }: { label: string; on: boolean; onClick: () => void }) => (
  <button type="button" class={`chip ${on ? 'on' : ''}`} aria-pressed={on} onClick={onClick}>
    {label}
  </button>
);

interface TextProps {
  readonly read: ReadOutput;
  readonly links: ReturnType<typeof withLinks>;
  readonly matches: readonly Range[];
  readonly current: number;
}

const Text = ({ read: { text, runs }, links, matches, current }: TextProps) => (
  <>
    {links.map((part) => {
      const inner = piecesOf(part, runs, matches).map(({ from, to, look, match }) => {
        const words = text.slice(from, to);
        if (match >= 0)
          return (
            <mark key={from} class={`${look} ${match === current ? 'current' : ''}`}>
              {words}
            </mark>
          );
        return look === '' ? (
          words
        ) : (
          <span key={from} class={look}>
            {words}
          </span>
        );
      });
      return part.isLink ? (
        <Away key={part.from} to={text.slice(part.from, part.to)}>
          {inner}
        </Away>
      ) : (
        inner
      );
    })}
  </>
);
