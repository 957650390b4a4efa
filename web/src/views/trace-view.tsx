// The path of one event through the pipelines: each filter with its verdict and reason, the mutator, the handler with
// its exit and output. Answers "why did I hear of it" and "why did I not".
import { useSignal } from '@preact/signals';
import type { FilterStep, HandlerStep, Trace, WorkflowTrace } from '../../../src/pipeline/trace.ts';
import { bytes, clockTime, millis } from '../lib/format.ts';
import type { EventCheck } from '../lib/resources.ts';
import { Empty } from '../parts/bits.tsx';

export const TraceView = ({ traces, check }: { traces: readonly Trace[]; check: EventCheck }) => {
  const chosen = useSignal(0);
  const trace = traces[Math.min(chosen.value, traces.length - 1)];
  if (trace === undefined) return <Empty>{whyNone(check)}</Empty>;
  return (
    <div class="trace">
      {traces.length > 1 && (
        <div class="chips">
          {traces.map((one, index) => (
            <button
              key={one.startedAtMs}
              type="button"
              class={`chip ${index === chosen.value ? 'on' : ''}`}
              onClick={() => {
                chosen.value = index;
              }}
            >
              {clockTime(one.startedAtMs)}
            </button>
          ))}
        </div>
      )}
      <p class="trace-summary">
        {trace.summary} <span class="dim num">{millis(trace.durationMs)}</span>
      </p>
      {trace.droppedDeliveries !== undefined && (
        <p class="step skipped">
          <Verdict word="dropped" kind="bad" /> {trace.droppedDeliveries} notifications of this check were
          dropped: too many or too large ones waited for its handlers
        </p>
      )}
      {trace.workflows.map((workflow, index) => (
        <Workflow key={`${workflow.pipeline}/${workflow.name}/${index}`} workflow={workflow} />
      ))}
      {trace.skipped.map((step) => (
        <p key={step.skipped} class="step skipped">
          <Verdict word="skipped" kind="bad" /> {step.skipped}: {step.why}
        </p>
      ))}
    </div>
  );
};

const whyNone = (check: EventCheck): string => {
  const named = (check.handlers ?? []).length + (check.pipelines ?? []).length;
  return named === 0
    ? 'Nobody is notified: the check names no handler and no pipeline.'
    : 'No event of this check went through the pipelines since the backend started.';
};

const good: readonly string[] = ['allowed', 'handled'];
const bad: readonly string[] = ['error', 'failed', 'timedOut'];
const kindOf = (word: string): 'good' | 'bad' | 'still' =>
  good.includes(word) ? 'good' : bad.includes(word) ? 'bad' : 'still';
const signs = { good: '✓', bad: '✕', still: '⊘' } as const;

const Verdict = ({ word, kind = kindOf(word) }: { word: string; kind?: 'good' | 'bad' | 'still' }) => (
  <span class={`verdict ${kind}`}>
    <span aria-hidden="true">{signs[kind]}</span> {word === 'timedOut' ? 'timed out' : word}
  </span>
);

const Workflow = ({ workflow }: { workflow: WorkflowTrace }) => (
  <details class="workflow" open>
    <summary>
      <Verdict word={workflow.outcome} />
      <b>{workflow.name}</b>
      {workflow.pipeline !== '' && workflow.pipeline !== workflow.name && (
        <span class="dim">in {workflow.pipeline}</span>
      )}
      <span class="why">{workflow.why}</span>
    </summary>
    <ol class="steps">
      {workflow.filters.map((step) => (
        <Filter key={step.name} step={step} />
      ))}
      {workflow.mutator !== undefined && (
        <li class="step">
          <Verdict
            word={workflow.mutator.error === undefined ? 'done' : 'failed'}
            kind={workflow.mutator.error === undefined ? 'good' : 'bad'}
          />
          <b>{workflow.mutator.name}</b> <span class="role">mutator</span>
          <span class="why">{workflow.mutator.error ?? `made ${bytes(workflow.mutator.bytes)}`}</span>
          <span class="num dim">{millis(workflow.mutator.durationMs)}</span>
        </li>
      )}
      {workflow.handler !== undefined && <Handler step={workflow.handler} />}
    </ol>
  </details>
);

const Filter = ({ step }: { step: FilterStep }) => (
  <li class={`step ${step.stopped ? 'stopped' : ''}`}>
    <Verdict word={step.verdict} />
    <b>{step.name}</b> <span class="role">filter</span>
    <span class="why">{step.why}</span>
    <span class="num dim">{millis(step.durationMs)}</span>
  </li>
);

const Handler = ({ step }: { step: HandlerStep }) => (
  <li class="step">
    <Verdict word={step.outcome} />
    <b>{step.name}</b> <span class="role">{step.type} handler</span>
    <span class="why">
      {step.why}
      {step.status !== undefined &&
        !step.why.includes(`exit status ${step.status}`) &&
        ` · exit ${step.status}`}
      {step.retry === true && ' · will be tried again'}
    </span>
    <span class="num dim">{millis(step.durationMs)}</span>
    {step.output !== undefined && step.output !== '' && <pre class="output">{step.output}</pre>}
  </li>
);
