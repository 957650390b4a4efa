// What the check said, as a terminal would show it: wrapped or not, whole or a part, searched.
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { diffLines } from '../lib/line-diff.ts';
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

/** The output of the result before, as far as this page has seen one. */
const useOutputBefore = (output: string, executed: number): string | undefined => {
  const seen = useRef({ output, executed, before: undefined as string | undefined });
  if (seen.current.executed !== executed || seen.current.output !== output)
    seen.current = { output, executed, before: seen.current.output };
  return seen.current.before;
};

/** `executed`: when, in Unix seconds: the same words twice are two results. */
export const OutputPanel = ({ output, executed }: { output: string; executed: number }) => {
  const before = useOutputBefore(output, executed);
  const isDifference = useSignal(false);
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
        <Toggle
          label="difference"
          title={before === undefined ? 'No result came since this page was opened' : 'To the result before'}
          isDisabled={before === undefined}
          on={isDifference.value && before !== undefined}
          onClick={() => (isDifference.value = !isDifference.value)}
        />
        <Toggle label="expand" on={isWhole.value} onClick={() => (isWhole.value = !isWhole.value)} />
      </div>
      <pre
        ref={holder}
        class={`output ${isWrapped.value ? '' : 'unwrapped'} ${isWhole.value ? 'whole' : ''}`}
        dir="auto"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        tabIndex={0}
      >
        {isDifference.value && before !== undefined ? (
          <Difference before={readOutput(before).text} now={read.text} />
        ) : read.text === '' ? (
          'The check said nothing.'
        ) : (
          <Text read={read} links={links} matches={matches} current={at} />
        )}
      </pre>
    </Panel>
  );
};

const marks = { same: ' ', added: '+', removed: '-' } as const;

const Difference = ({ before, now }: { before: string; now: string }) => {
  if (before === now) return <>The same as the result before.</>;
  return (
    <>
      {diffLines(before, now).map(({ type, text }, index) => (
        <span key={`${index} ${type}`} class={`diff-line ${type}`}>
          {marks[type]} {text}
          {'\n'}
        </span>
      ))}
    </>
  );
};

interface ToggleProps {
  readonly label: string;
  readonly on: boolean;
  readonly onClick: () => void;
  readonly title?: string;
  readonly isDisabled?: boolean;
}

const Toggle = ({ label, on, onClick, title, isDisabled = false }: ToggleProps) => (
  <button
    type="button"
    class={`chip ${on ? 'on' : ''}`}
    aria-pressed={on}
    title={title}
    disabled={isDisabled}
    onClick={onClick}
  >
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
