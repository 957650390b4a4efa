// Making a silence: what it covers, for how long, why; with a preview of what it hits now.
import { useSignal } from '@preact/signals';
import type { EventListPage } from '../../../src/http/inspect/events/protocol.ts';
import { getJson } from '../lib/api.ts';
import { eventsPath } from '../lib/event-feed.ts';
import { keyOf, type NamedEvent } from '../lib/event-key.ts';
import { coveredBy } from '../lib/event-query.ts';
import { plural } from '../lib/format.ts';
import { usePolled } from '../lib/live.ts';
import { attempt, attemptAll } from '../lib/notices.ts';
import { createSilence, type SilenceOrder } from '../lib/resources.ts';
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

interface Props {
  readonly namespace: string;
  readonly orders: readonly { readonly subscription: string; readonly check: string }[];
  readonly onDone: () => void;
}

const SilenceForm = ({ namespace, orders, onDone }: Props) => {
  const subscription = useSignal(orders[0]?.subscription ?? '');
  const check = useSignal(orders[0]?.check ?? '');
  const isMany = orders.length > 1;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const shared = {
      reason: String(form.get('reason')),
      expire: Number(form.get('expire')),
      expireOnResolve: form.get('resolve') !== null,
    };
    const wanted: readonly SilenceOrder[] = isMany
      ? orders.map((order) => ({ ...order, ...shared }))
      : [{ subscription: subscription.value, check: check.value, ...shared }];
    if (isMany) {
      closeDialog();
      const nameOf = (order: SilenceOrder): string => `${order.subscription}:${order.check}`;
      await attemptAll('Silenced', wanted, nameOf, (order) => createSilence(namespace, order));
    } else {
      const isDone = await attempt('Silenced', () =>
        Promise.all(wanted.map((order) => createSilence(namespace, order))),
      );
      if (!isDone) return;
      closeDialog();
    }
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
          <label>
            Subscription <span class="dim">entity:name for one entity; empty for all</span>
            <input
              value={subscription.value}
              onInput={(event) => (subscription.value = event.currentTarget.value)}
            />
          </label>
          <label>
            Check <span class="dim">empty for all</span>
            <input value={check.value} onInput={(event) => (check.value = event.currentTarget.value)} />
          </label>
          <Preview namespace={namespace} subscription={subscription.value} check={check.value} />
        </>
      )}
      <label>
        Reason
        <input name="reason" required autofocus placeholder="why, for whoever finds it at night" />
      </label>
      <div class="row">
        <label>
          For
          <select name="expire">
            {lengths.map(([seconds, text]) => (
              <option key={seconds} value={seconds}>
                {text}
              </option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" name="resolve" /> until it resolves, if that is sooner
        </label>
      </div>
      <div class="row end">
        <button type="button" onClick={closeDialog}>
          Cancel
        </button>
        <button type="submit" class="primary">
          Silence
        </button>
      </div>
    </form>
  );
};

const Preview = ({
  namespace,
  subscription,
  check,
}: {
  namespace: string;
  subscription: string;
  check: string;
}) => {
  const key = `preview/${namespace}/${subscription}/${check}`;
  const isOpen = subscription !== '' || check !== '';
  const covered = usePolled<Covered | undefined>(key, 10_000, async () =>
    isOpen ? askCovered(namespace, { subscription, check }) : undefined,
  );
  if (!isOpen) return <p class="problem">Name a subscription, a check, or both.</p>;
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
  silence: { subscription: string; check: string },
): Promise<Covered> => {
  const question = coveredBy(silence);
  const [page, failing] = await Promise.all([
    getJson<EventListPage>(eventsPath(namespace, { ...question, limit: '500' })),
    getJson<EventListPage>(eventsPath(namespace, { ...question, state: 'failing', limit: '1' })),
  ]);
  return { page, failing: failing.total };
};
