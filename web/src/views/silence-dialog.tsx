// Making a silence: what it covers, for how long, why; with a preview of what it hits now.
import { type Signal, useSignal } from '@preact/signals';
import type { EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { describeWindow, weekdays } from '../../../src/model/silence/window-words.ts';
import { getJson } from '../lib/api.ts';
import { eventsPath } from '../lib/event-feed.ts';
import { keyOf, type NamedEvent } from '../lib/event-key.ts';
import { coveredBy } from '../lib/event-query.ts';
import { plural } from '../lib/format.ts';
import { jobFromEvents, startJob } from '../lib/jobs.ts';
import { usePolled } from '../lib/live.ts';
import { attempt, attemptAll } from '../lib/notices.ts';
import {
  createSilence,
  replaceSilence,
  type Silence,
  type SilenceOrder,
  type SilenceWindow,
} from '../lib/resources.ts';
import { closeDialog, dialog } from '../parts/dialog.tsx';

/** More names than these tell nobody anything. */
const namedOrders = 12;

const lengths = [
  [3_600, '1 hour'],
  [4 * 3_600, '4 hours'],
  [24 * 3_600, '1 day'],
  [7 * 24 * 3_600, '1 week'],
  [-1, 'no end'],
] as const;

/** One silence for one event; for several, one each, all with the same reason. */
export const silenceFor = (namespace: string, events: readonly NamedEvent[], onDone: () => void): void => {
  const orders = events.map((event) => ({
    subscription: `entity:${event.entity.metadata.name}`,
    check: event.check.metadata.name,
  }));
  const title = orders.length > 1 ? `Silence ${plural(orders.length, 'event')}` : 'New silence';
  dialog.value = { title, body: <SilenceForm namespace={namespace} orders={orders} onDone={onDone} /> };
};

/** Everything of one entity. */
export const silenceEntity = (namespace: string, entity: string, onDone: () => void): void => {
  const orders = [{ subscription: `entity:${entity}`, check: '' }];
  dialog.value = {
    title: `Silence ${entity}`,
    body: <SilenceForm namespace={namespace} orders={orders} onDone={onDone} />,
  };
};

/** Changes a silence that there is. */
export const editSilence = (namespace: string, silence: Silence, onDone: () => void): void => {
  const orders = [{ subscription: silence.subscription ?? '', check: silence.check ?? '' }];
  dialog.value = {
    title: `Change ${silence.metadata.name}`,
    body: <SilenceForm namespace={namespace} orders={orders} known={silence} onDone={onDone} />,
  };
};

interface Props {
  readonly namespace: string;
  readonly orders: readonly { readonly subscription: string; readonly check: string }[];
  readonly onDone: () => void;
  /** The silence that is changed. */
  readonly known?: Silence;
}

const atTime = 'at';

/** What the form says of its times. */
const timesIn = (form: FormData, windows: readonly SilenceWindow[]): Partial<SilenceOrder> => {
  const begin = secondsOf(form.get('begin'));
  const end = secondsOf(form.get('end'));
  const isAtTime = form.get('expire') === atTime;
  return {
    expire: isAtTime ? -1 : Number(form.get('expire')),
    ...(begin === undefined ? {} : { begin }),
    ...(isAtTime && end !== undefined ? { expireAt: end } : {}),
    windows,
  };
};

const SilenceForm = ({ namespace, orders, known, onDone }: Props) => {
  const subscription = useSignal(orders[0]?.subscription ?? '');
  const check = useSignal(orders[0]?.check ?? '');
  const selector = useSignal(known?.selector ?? '');
  const windows = useSignal<readonly SilenceWindow[]>(known?.windows ?? []);
  const isMany = orders.length > 1;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const shared = {
      reason: String(form.get('reason')),
      expire: -1,
      expireOnResolve: form.get('resolve') !== null,
      ...timesIn(form, windows.value),
    };
    if (isMany) {
      const wanted = orders.map((order) => ({ ...order, ...shared }));
      closeDialog();
      const isPlain =
        shared.begin === undefined && shared.expireAt === undefined && windows.value.length === 0;
      if (orders.length >= jobFromEvents && isPlain) {
        const { reason, expire, expireOnResolve } = shared;
        const parameters = { reason, expire, expire_on_resolve: expireOnResolve };
        const events = orders.map((order) => `${order.subscription.replace('entity:', '')}/${order.check}`);
        return void (await startJob(namespace, { action: 'silence', parameters, events }, onDone));
      }
      const nameOf = (order: SilenceOrder): string => `${order.subscription}:${order.check}`;
      await attemptAll('Silenced', wanted, nameOf, (order) => createSilence(namespace, order));
      return onDone();
    }
    const name = String(form.get('name') ?? '').trim();
    const order = {
      subscription: subscription.value,
      check: check.value,
      selector: selector.value.trim(),
      ...(name === '' ? {} : { name }),
      ...shared,
    };
    const isDone = await attempt(known === undefined ? 'Silenced' : 'Changed', () =>
      known === undefined
        ? createSilence(namespace, order)
        : replaceSilence(namespace, known.metadata.name, order),
    );
    if (!isDone) return;
    closeDialog();
    onDone();
  };
  return (
    <form class="form" onSubmit={submit}>
      {isMany ? (
        <p class="dim">
          {orders
            .slice(0, namedOrders)
            .map((order) => `${order.subscription.replace('entity:', '')}/${order.check}`)
            .join(', ')}
          {orders.length > namedOrders && ` and ${orders.length - namedOrders} more`}
        </p>
      ) : (
        <>
          <Target subscription={subscription} check={check} selector={selector} known={known} />
          <Preview
            namespace={namespace}
            subscription={subscription.value}
            check={check.value}
            selector={selector.value}
          />
        </>
      )}
      <label>
        Reason
        <input
          name="reason"
          required
          autofocus
          value={known?.reason ?? ''}
          placeholder="why, for the person on call"
        />
      </label>
      <Times known={known} />
      <Windows windows={windows} />
      <div class="row end">
        <button type="button" onClick={closeDialog}>
          Cancel
        </button>
        <button type="submit" class="primary">
          {known === undefined ? 'Silence' : 'Save'}
        </button>
      </div>
    </form>
  );
};

interface TargetProps {
  readonly subscription: Signal<string>;
  readonly check: Signal<string>;
  readonly selector: Signal<string>;
  readonly known: Silence | undefined;
}

/** What a silence is named after cannot be changed: its name would be another. */
const Target = ({ subscription, check, selector, known }: TargetProps) => {
  const isFixed = known !== undefined && !known.selector;
  return (
    <>
      <label>
        Subscription <span class="dim">entity:name for one entity; empty for all</span>
        <input
          value={subscription.value}
          disabled={isFixed}
          onInput={(event) => (subscription.value = event.currentTarget.value)}
        />
      </label>
      <label>
        Check <span class="dim">empty for all</span>
        <input
          value={check.value}
          disabled={isFixed}
          onInput={(event) => (check.value = event.currentTarget.value)}
        />
      </label>
      {!isFixed && (
        <label>
          Selector <span class="dim">event.labels.region == 'eu' && event.check.name matches 'http'</span>
          <input
            name="selector"
            value={selector.value}
            class="mono"
            autocomplete="off"
            onInput={(event) => (selector.value = event.currentTarget.value)}
          />
        </label>
      )}
      {selector.value !== '' && known === undefined && (
        <label>
          Name <span class="dim">letters, digits, . _ -</span>
          <input name="name" required pattern="[A-Za-z0-9_.\-]+" placeholder="eu-upgrade" />
        </label>
      )}
    </>
  );
};

const Times = ({ known }: { known: Silence | undefined }) => {
  const hasEnd = (known?.expire_at ?? 0) > 0;
  const length = useSignal<string>(hasEnd ? atTime : String(known === undefined ? 3_600 : -1));
  return (
    <>
      <div class="row">
        <label>
          For
          <select
            name="expire"
            value={length.value}
            onChange={(event) => (length.value = event.currentTarget.value)}
          >
            {lengths.map(([seconds, text]) => (
              <option key={seconds} value={seconds}>
                {text}
              </option>
            ))}
            <option value={atTime}>until…</option>
          </select>
        </label>
        {length.value === atTime && (
          <label>
            Until
            <input
              type="datetime-local"
              name="end"
              required
              value={hasEnd ? localTime(known?.expire_at) : ''}
            />
          </label>
        )}
        <label>
          Begins <span class="dim">empty: now</span>
          <input type="datetime-local" name="begin" value={localTime(known?.begin)} />
        </label>
      </div>
      <label class="check">
        <input type="checkbox" name="resolve" checked={known?.expire_on_resolve ?? false} /> until it
        resolves, if that is sooner
      </label>
    </>
  );
};

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
const blankWindow: SilenceWindow = { days: ['sunday'], begin: '02:00', end: '04:00', time_zone: zone };

/** Regular times, in place of all the time. */
const Windows = ({ windows }: { windows: Signal<readonly SilenceWindow[]> }) => {
  const change = (at: number, fields: Partial<SilenceWindow>): void => {
    windows.value = windows.value.map((window, index) => (index === at ? { ...window, ...fields } : window));
  };
  const toggle = (at: number, day: string): void => {
    const days = windows.value[at]?.days ?? [];
    change(at, { days: days.includes(day) ? days.filter((one) => one !== day) : [...days, day] });
  };
  return (
    <fieldset class="windows">
      <legend>Only at regular times</legend>
      {windows.value.map((window, at) => (
        <div class="row" key={at}>
          <span class="days">
            {weekdays.map((day) => (
              <label key={day} class="day">
                <input type="checkbox" checked={window.days.includes(day)} onChange={() => toggle(at, day)} />{' '}
                {day.slice(0, 2)}
              </label>
            ))}
          </span>
          <input
            type="time"
            aria-label="Begin of the window"
            value={window.begin}
            onInput={(event) => change(at, { begin: event.currentTarget.value })}
          />
          <input
            type="time"
            aria-label="End of the window"
            value={window.end === '24:00' ? '00:00' : window.end}
            onInput={(event) => change(at, { end: endOf(event.currentTarget.value) })}
          />
          <input
            aria-label="Time zone of the window"
            value={window.time_zone}
            onInput={(event) => change(at, { time_zone: event.currentTarget.value })}
          />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${describeWindow(window)}`}
            onClick={() => (windows.value = windows.value.filter((_, index) => index !== at))}
          >
            ✕
          </button>
        </div>
      ))}
      <button type="button" onClick={() => (windows.value = [...windows.value, blankWindow])}>
        Add a time
      </button>
    </fieldset>
  );
};

/** A window that ends at midnight ends with its day. */
const endOf = (time: string): string => (time === '00:00' ? '24:00' : time);

/** As an input of date and time has it: in the time zone of the browser. */
const localTime = (seconds: number | undefined): string => {
  if (seconds === undefined || seconds <= 0) return '';
  const date = new Date(seconds * 1000);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

const secondsOf = (value: FormDataEntryValue | null): number | undefined => {
  const ms = typeof value === 'string' && value !== '' ? new Date(value).getTime() : Number.NaN;
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
};

const Preview = ({
  namespace,
  subscription,
  check,
  selector,
}: {
  namespace: string;
  subscription: string;
  check: string;
  selector: string;
}) => {
  const key = `preview/${namespace}/${subscription}/${check}/${selector}`;
  const isOpen = subscription !== '' || check !== '' || selector !== '';
  const covered = usePolled<Covered | undefined>(key, 10_000, async () =>
    isOpen ? askCovered(namespace, { subscription, check, selector }) : undefined,
  );
  if (!isOpen) return <p class="problem">Name a subscription or a check, or write a selector.</p>;
  if (covered.error !== undefined) return <p class="preview">{covered.error}</p>;
  if (covered.data === undefined) return <p class="preview">Looking…</p>;
  const { page, failing } = covered.data;
  const entities = new Set(page.items.map((event) => event.entity.metadata.name));
  return (
    <p class="preview" title={page.items.slice(0, 30).map(keyOf).join('\n')}>
      Covers {plural(page.total, 'event')} on {page.next === undefined ? '' : 'at least '}
      {plural(entities.size, 'entity', 'entities')} now
      {page.total > 0 && `, ${failing.toLocaleString('en')} of them not passing`}.
    </p>
  );
};

interface Covered {
  readonly page: EventListPage;
  readonly failing: number;
}

/** What a silence would cover now, by the API's own lists. */
const askCovered = async (
  namespace: string,
  silence: { subscription: string; check: string; selector: string },
): Promise<Covered> => {
  const question = coveredBy(silence);
  const [page, failing] = await Promise.all([
    getJson<EventListPage>(eventsPath(namespace, { ...question, limit: '500' })),
    getJson<EventListPage>(eventsPath(namespace, { ...question, state: 'failing', limit: '1' })),
  ]);
  return { page, failing: failing.total };
};
