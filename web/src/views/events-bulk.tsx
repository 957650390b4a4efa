// How many events are listed and chosen, and what can be done to the chosen ones; and the bar that says what is new.
import type { Access } from '../lib/access.ts';
import type { EventChoice } from '../lib/event-choice.ts';
import type { EventGroups } from '../lib/event-groups.ts';
import { type EventItem, rowsIn } from '../lib/event-items.ts';
import type { EventList } from '../lib/event-list.ts';
import { plural } from '../lib/format.ts';
import { isRunnable } from '../lib/resources.ts';
import type { EventActions } from './event-actions.tsx';

interface Props {
  readonly access: Access;
  readonly actions: EventActions;
  readonly choice: EventChoice;
  readonly list: EventList;
  readonly items: readonly EventItem[];
  readonly isLoaded: boolean;
  /** Of a list that is grouped. */
  readonly groups: EventGroups | undefined;
}

export const EventsBulk = (props: Props) => {
  const { choice, list, items, isLoaded, groups } = props;
  const rows = rowsIn(items);
  const count = choice.isWhole ? list.total : choice.selected.length;
  const fitting = list.rows.size - list.gone.size;
  const isAllShown = rows.length > 0 && choice.selected.length === rows.length;
  return (
    <div class="bulk" data-some={count > 0}>
      <label>
        <input
          type="checkbox"
          checked={isAllShown}
          onChange={(event) => choice.choose(event.currentTarget.checked ? rows.map(list.nameOf) : [])}
        />
        {count > 0
          ? `${count.toLocaleString('en')} selected`
          : isLoaded && plural(Math.max(fitting, list.total - list.gone.size), 'event')}
        {count === 0 && groups?.isLoaded === true && ` in ${plural(groups.total, 'group')}`}
      </label>
      {list.missing.length > 0 && (
        <span role="alert">
          Incomplete: {list.missing.map(({ backend, why }) => `${backend} (${why})`).join(', ')}
        </span>
      )}
      {!choice.isWhole && isAllShown && rows.length < list.total && (
        <button type="button" onClick={choice.chooseWhole}>
          Select all {list.total.toLocaleString('en')} that match
        </button>
      )}
      {count === 0 && groups !== undefined && groups.groups.length > 0 && (
        <>
          <button type="button" class="quiet" onClick={() => groups.foldAll(false)}>
            Unfold all
          </button>
          <button type="button" class="quiet" onClick={() => groups.foldAll(true)}>
            Fold all
          </button>
        </>
      )}
      {count > 0 && <Buttons {...props} rows={rows} />}
    </div>
  );
};

const Buttons = ({ access, actions, choice, rows }: Props & { readonly rows: ReturnType<typeof rowsIn> }) => {
  const isAnyRunnable = (choice.isWhole ? rows : choice.selected).some(isRunnable);
  return (
    <>
      {access.may('update', 'events') && (
        <>
          <button type="button" onClick={() => void actions.acknowledge()}>
            Acknowledge…
          </button>
          <button type="button" onClick={() => void actions.resolve()}>
            Resolve
          </button>
        </>
      )}
      {actions.mayRun && (
        <button
          type="button"
          disabled={!isAnyRunnable}
          title={isAnyRunnable ? 'r' : 'None of them can be run again from here'}
          onClick={() => void actions.rerun()}
        >
          Run again
        </button>
      )}
      {access.may('create', 'silenced') && (
        <button type="button" onClick={() => void actions.silence()}>
          Silence…
        </button>
      )}
      {access.may('delete', 'events') && (
        <button type="button" class="danger" onClick={() => void actions.remove()}>
          Delete…
        </button>
      )}
    </>
  );
};

interface NewProps {
  readonly statuses: readonly number[];
  readonly onShow: () => Promise<void>;
}

export const NewBar = ({ statuses, onShow }: NewProps) => {
  const critical = statuses.filter((status) => status === 2).length;
  return (
    <button type="button" class={`new-bar ${critical > 0 ? 'critical' : ''}`} onClick={() => void onShow()}>
      {statuses.length.toLocaleString('en')} new
      {critical > 0 && `, ${critical.toLocaleString('en')} critical`} — show <kbd>n</kbd>
    </button>
  );
};
