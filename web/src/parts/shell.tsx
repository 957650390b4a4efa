// What stands around every view: the rail with the pages, the bar with namespace, search and looks.
import { accessTo } from '../lib/access.ts';
import { encode, reachable } from '../lib/api.ts';
import { configKinds } from '../lib/config-kinds.ts';
import { namespace, namespaces } from '../lib/namespaces.ts';
import { go, href, path } from '../lib/router.ts';
import { logout, user } from '../lib/session.ts';
import { densities, density, palette, palettes, theme, themes } from '../lib/settings.ts';
import { isPaletteOpen } from '../views/palette.tsx';
import { Mark } from './mark.tsx';
import { Menu } from './menu.tsx';

const icons = {
  events: 'M3 4h14M3 10h14M3 16h9',
  entities: 'M3 3.5h14v5H3zM3 11.5h14v5H3zM6 6h.1M6 14h.1',
  silences: 'M4 8v4h3l4 3.5v-11L7 8zM14 8l4 4M18 8l-4 4',
  config: 'M3 5h6M13 5h4M3 10h2M9 10h8M3 15h8M15 15h2M9 3v4M5 8v4M11 13v4',
  actors: 'M2.5 7h5v6h-5zM12.5 3h5v5h-5zM12.5 12h5v5h-5zM7.5 10h2.5V5.5h2.5M10 10v4.5h2.5',
  system: 'M2.5 10h3l2-5.5 4 11 2.5-5.5h3.5',
} as const;

const Icon = ({ name }: { name: keyof typeof icons }) => (
  <svg width="20" height="20" viewBox="0 0 20 20" aria-hidden="true" class="rail-icon">
    <path d={icons[name]} />
  </svg>
);

export const Rail = () => {
  const inside = `/n/${encode(namespace.value)}`;
  const access = accessTo(namespace.value);
  const pages = [
    ['events', `${inside}/events`, 'Events'],
    ['entities', `${inside}/entities`, 'Entities'],
    ['silences', `${inside}/silences`, 'Silences'],
    ['config', `${inside}/config`, 'Config'],
    ['actors', '/actors', 'Actors'],
    ['system', '/system', 'System'],
  ] as const;
  const isAllowed: Readonly<Record<(typeof pages)[number][0], boolean>> = {
    events: access.may('list', 'events'),
    entities: access.may('list', 'entities'),
    silences: access.may('list', 'silenced'),
    config: configKinds.some(({ path: kind, isNamespaced }) =>
      isNamespaced ? access.may('list', kind) : access.mayEverywhere('list', kind),
    ),
    actors: access.may('inspect:get', 'actors'),
    system: access.mayEverywhere('inspect:get', 'actors'),
  };
  const isAt = (name: string, to: string): boolean =>
    path.value.startsWith(to) ||
    (name === 'events' && path.value === '/events') ||
    (name === 'actors' && /^\/(actor|machine)\//.test(path.value));
  return (
    <nav class="rail" aria-label="Pages">
      <a class="home" href={href(`${inside}/events`)} aria-label="mon">
        <Mark />
      </a>
      {pages
        .filter(([name]) => isAllowed[name])
        .map(([name, to, label]) => (
          <a key={name} href={href(to)} aria-current={isAt(name, to) ? 'page' : undefined}>
            <Icon name={name} />
            <span>{label}</span>
          </a>
        ))}
    </nav>
  );
};

/** In the select, and no name of a namespace. */
const all = '*';

/** The list one looks at, in another namespace; a single thing need not be there. */
const sameListIn = (other: string): string => {
  if (other === all) return '/events';
  const list = /^\/n\/[^/]+\/(events|entities|silences|config(?:\/[^/]+)?)/.exec(path.value)?.[1] ?? 'events';
  return `/n/${encode(other)}/${list}`;
};

export const TopBar = () => (
  <header class="top">
    <label class="namespace">
      <span class="dim">namespace</span>
      <select
        value={path.value === '/events' ? all : namespace.value}
        onChange={(event) => go(sameListIn(event.currentTarget.value))}
      >
        <option value={all}>all namespaces</option>
        {[...new Set([namespace.value, ...namespaces.value])].map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
    <button
      type="button"
      class="go-to"
      onClick={() => {
        isPaletteOpen.value = true;
      }}
    >
      Go to… <kbd>Ctrl K</kbd>
    </button>
    {!reachable.value && (
      <span class="offline" role="alert">
        backend unreachable
      </span>
    )}
    <Looks />
    <button type="button" class="quiet user" title="Log out" onClick={logout}>
      {user.value} · log out
    </button>
  </header>
);

const Looks = () => (
  <Menu label="◐" title="Looks" closesOnClick={false}>
    <div class="looks">
      <Choice label="Theme" values={themes} value={theme.value} onChange={(value) => (theme.value = value)} />
      <Choice
        label="Colours"
        values={palettes}
        value={palette.value}
        onChange={(value) => (palette.value = value)}
      />
      <Choice
        label="Density"
        values={densities}
        value={density.value}
        onChange={(value) => (density.value = value)}
      />
    </div>
  </Menu>
);

const Choice = <T extends string>(props: {
  label: string;
  values: readonly T[];
  value: T;
  onChange: (value: T) => void;
}) => (
  <label>
    {props.label}
    <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value as T)}>
      {props.values.map((value) => (
        <option key={value}>{value}</option>
      ))}
    </select>
  </label>
);
