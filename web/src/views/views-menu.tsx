// Saved views: those there are, this one under a name, and a wall that shows them in turns.
import { useSignal } from '@preact/signals';
import { href, path, query } from '../lib/router.ts';
import { forgetView, savedViews, saveView, wallOf } from '../lib/saved-views.ts';
import { CopyButton } from '../parts/bits.tsx';
import { Menu } from '../parts/menu.tsx';

export const ViewsMenu = () => {
  const name = useSignal('');
  const here = path.value + (query.value.size === 0 ? '' : `?${query.value}`);
  const views = savedViews.value;
  return (
    <Menu label="Views" title="Saved views of this list" closesOnClick={false}>
      <div class="views">
        {views.length === 0 && (
          <p class="dim">A view is this list with its filters, groups, order and columns, under a name.</p>
        )}
        <ul>
          {views.map((view) => (
            <li key={view.name}>
              <a href={href(view.to)} aria-current={view.to === here ? 'page' : undefined}>
                <bdi>{view.name}</bdi>
              </a>
              <button
                type="button"
                class="quiet"
                aria-label={`Forget ${view.name}`}
                onClick={() => forgetView(view.name)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
        <form
          class="row"
          onSubmit={(event) => {
            event.preventDefault();
            saveView(name.value, here);
            name.value = '';
          }}
        >
          <input
            aria-label="Name of the view"
            placeholder="Save this view as"
            maxLength={60}
            required
            value={name.value}
            onInput={(event) => {
              name.value = event.currentTarget.value;
            }}
          />
          <button type="submit" class="primary">
            Save
          </button>
        </form>
        <p class="row">
          <a href={href(wallOf(views, here))}>Wallboard {views.length > 0 && 'of these views'}</a>
          <span class="dim">its link</span>
          <CopyButton text={location.origin + href(wallOf(views, here))} />
        </p>
      </div>
    </Menu>
  );
};
