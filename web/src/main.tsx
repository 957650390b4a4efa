// The page: a rail, a bar, and the view the address names.
import { effect } from '@preact/signals';
import { render } from 'preact';
import { useAccess } from './lib/access.ts';
import { encode } from './lib/api.ts';
import { useShortcuts } from './lib/keys.ts';
import { lazyView } from './lib/lazy-view.tsx';
import { landing, namespace, namespaces } from './lib/namespaces.ts';
import { go, href, match, path, query } from './lib/router.ts';
import { user } from './lib/session.ts';
import './lib/settings.ts';
import { Dialog, dialog } from './parts/dialog.tsx';
import { Notices } from './parts/notices.tsx';
import { Rail, TopBar } from './parts/shell.tsx';
import { EventsPage } from './views/events-page.tsx';
import { Help } from './views/help.tsx';
import { Login } from './views/login.tsx';
import { isPaletteOpen, Palette } from './views/palette.tsx';

const Wall = lazyView(() => import('./views/wall.tsx').then((file) => file.Wall));
const WallLogin = lazyView(() => import('./views/wall-login.tsx').then((file) => file.WallLogin));
const EventPage = lazyView(() => import('./views/event-page.tsx').then((file) => file.EventPage));
const EntitiesPage = lazyView(() => import('./views/entities-page.tsx').then((file) => file.EntitiesPage));
const EntityPage = lazyView(() => import('./views/entity-page.tsx').then((file) => file.EntityPage));
const SilencesPage = lazyView(() => import('./views/silences-page.tsx').then((file) => file.SilencesPage));
const ActorsPage = lazyView(() => import('./views/actors-page.tsx').then((file) => file.ActorsPage));
const ActorPage = lazyView(() => import('./views/actor-page.tsx').then((file) => file.ActorPage));
const MachinePage = lazyView(() => import('./views/machine-page.tsx').then((file) => file.MachinePage));
const ConfigPage = lazyView(() => import('./views/config-page.tsx').then((file) => file.ConfigPage));
const OpenPage = lazyView(() => import('./views/open-page.tsx').then((file) => file.OpenPage));
const SystemPage = lazyView(() => import('./views/system-page.tsx').then((file) => file.SystemPage));

const View = () => {
  const here = path.value;
  const events = match('/n/:namespace/events', here);
  if (events) return <EventsPage key={events['namespace']} namespace={events['namespace'] ?? ''} />;
  if (match('/events', here)) return <EventsPage key="" namespace="" />;
  const event = match('/n/:namespace/events/:entity/:check', here);
  if (event)
    return (
      <EventPage
        key={here}
        namespace={event['namespace'] ?? ''}
        entity={event['entity'] ?? ''}
        check={event['check'] ?? ''}
      />
    );
  const entities = match('/n/:namespace/entities', here);
  if (entities) return <EntitiesPage namespace={entities['namespace'] ?? ''} />;
  const entity = match('/n/:namespace/entities/:name', here);
  if (entity)
    return <EntityPage key={here} namespace={entity['namespace'] ?? ''} name={entity['name'] ?? ''} />;
  const silences = match('/n/:namespace/silences', here);
  if (silences) return <SilencesPage namespace={silences['namespace'] ?? ''} />;
  const config =
    match('/n/:namespace/config/:kind/:name', here) ??
    match('/n/:namespace/config/:kind', here) ??
    match('/n/:namespace/config', here);
  if (config)
    return (
      <ConfigPage
        namespace={config['namespace'] ?? ''}
        kindPath={config['kind'] ?? 'checks'}
        name={config['name']}
      />
    );
  if (match('/actors', here)) return <ActorsPage />;
  const actor = match('/actor/:id', here);
  if (actor) return <ActorPage key={here} id={actor['id'] ?? ''} />;
  const machine = match('/machine/:id', here);
  if (machine) return <MachinePage key={here} id={machine['id'] ?? ''} />;
  if (match('/open', here)) return <OpenPage />;
  if (match('/system', here)) return <SystemPage />;
  return <p class="empty">There is no such page. Press Ctrl+K to go somewhere.</p>;
};

/** The view, where there is a namespace to look into. */
const Place = () => {
  const access = useAccess(namespace.value, path.value !== '/open');
  if (access.isKnown && !access.exists && match('/n/:namespace', path.value.split('/').slice(0, 3).join('/')))
    return (
      <div class="quiet-page gone" role="status">
        <h1 tabIndex={-1}>There is no namespace “{namespace.value}”.</h1>
        <p class="dim">It was deleted, never made, or you may not see it.</p>
        <p>
          {namespaces.value
            .filter((name) => name !== namespace.value)
            .slice(0, 20)
            .map((name) => (
              <a key={name} class="chip" href={href(`/n/${encode(name)}/events`)}>
                {name}
              </a>
            ))}
        </p>
      </div>
    );
  return <View />;
};

const Page = () => {
  useShortcuts([
    { keys: 'Ctrl+k', what: 'Go to anything', run: () => (isPaletteOpen.value = true) },
    { keys: '?', what: 'This help', run: () => (dialog.value = { title: 'Keys', body: <Help /> }) },
  ]);
  const isWall = query.value.get('wall') === '1';
  if (user.value === undefined) return isWall ? <WallLogin /> : <Login />;
  if (isWall) return <Wall />;
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Rail />
      <div class="body">
        <TopBar />
        <main id="main" tabIndex={-1}>
          <Place />
        </main>
      </div>
      <Palette />
      <Dialog />
      <Notices />
    </>
  );
};

effect(() => {
  // Where the person may read, which is known once they are logged in.
  const where = path.value === '/' ? landing.value : undefined;
  if (where !== undefined) go(`/n/${encode(where)}/events`, 'replace');
});

/** Another view is shown from its top, as after a click on a link of any page. */
let focusedPath = path.peek();
effect(() => {
  const now = path.value;
  if (now === focusedPath) return;
  focusedPath = now;
  setTimeout(() => {
    const focused = document.activeElement;
    if (
      focused !== null &&
      focused !== document.body &&
      focused.isConnected &&
      focused.closest('main, .rail') === null
    )
      return;
    const head =
      document.querySelector<HTMLElement>('main h1') ?? document.querySelector<HTMLElement>('main');
    if (head === null) return;
    if (!head.hasAttribute('tabindex')) head.tabIndex = -1;
    head.focus({ preventScroll: true });
  }, 60);
});

const place = document.getElementById('page');
if (place !== null) render(<Page />, place);
