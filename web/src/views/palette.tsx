// Ctrl+K: go anywhere, do anything, by typing a bit of its name. Asks the backend for actors that fit.
import { signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { ActorPage } from '../../../src/http/inspect/protocol.ts';
import { machineNames } from '../chart/load-chart.ts';
import { accessTo } from '../lib/access.ts';
import { usableId } from '../lib/actor-id.ts';
import { encode, getJson, inspect } from '../lib/api.ts';
import { configKinds } from '../lib/config-kinds.ts';
import { namespace, namespaces } from '../lib/namespaces.ts';
import { go } from '../lib/router.ts';
import { logout } from '../lib/session.ts';
import { density, palette, palettes, theme, themes } from '../lib/settings.ts';

export const isPaletteOpen = signal(false);

interface Choice {
  readonly text: string;
  readonly kind: string;
  readonly run: () => void;
}

const maxShown = 14;

const fixedChoices = (): Choice[] => {
  const inside = `/n/${encode(namespace.value)}`;
  const page = (text: string, to: string): Choice => ({ text, kind: 'page', run: () => go(to) });
  return [
    page('Events', `${inside}/events`),
    page('Entities', `${inside}/entities`),
    page('Silences', `${inside}/silences`),
    page('Configuration', `${inside}/config`),
    ...configKinds.map(({ path, title }) => page(title, `${inside}/config/${path}`)),
    page('Actors', '/actors'),
    page('Supervision tree', '/actors?as=tree'),
    page('Machines', '/actors?as=machines'),
    page('System', '/system'),
    page('Open a recording', '/open'),
    ...machineNames().map((id): Choice => ({ text: id, kind: 'machine', run: () => go(`/machine/${id}`) })),
    ...namespaces.value.map(
      (name): Choice => ({ text: name, kind: 'namespace', run: () => go(`/n/${encode(name)}/events`) }),
    ),
    ...themes.map(
      (name): Choice => ({ text: `Theme: ${name}`, kind: 'look', run: () => (theme.value = name) }),
    ),
    ...palettes.map(
      (name): Choice => ({ text: `Colours: ${name}`, kind: 'look', run: () => (palette.value = name) }),
    ),
    {
      text: 'Switch density',
      kind: 'look',
      run: () => (density.value = density.value === 'compact' ? 'comfortable' : 'compact'),
    },
    { text: 'Log out', kind: 'action', run: () => void logout() },
  ];
};

const actorChoices = async (text: string): Promise<Choice[]> => {
  const inside = accessTo(namespace.peek()).mayEverywhere('inspect:get', 'actors')
    ? ''
    : `&namespace=${encode(namespace.peek())}`;
  const found = await getJson<ActorPage>(inspect(`actors?limit=10&search=${encode(text)}${inside}`));
  return found.items.flatMap(({ id }): Choice[] => {
    const { event } = usableId(id);
    const actor: Choice = { text: id, kind: 'actor', run: () => go(`/actor/${encode(id)}`) };
    const shown: Choice = {
      text: id.slice(id.indexOf(':') + 1),
      kind: id.startsWith('entity:') ? 'entity' : 'event',
      run: () => go(event ?? ''),
    };
    return event === undefined ? [actor] : [shown, actor];
  });
};

export const Palette = () => {
  const text = useSignal('');
  const at = useSignal(0);
  const found = useSignal<readonly Choice[]>([]);
  const holder = useRef<HTMLDialogElement>(null);
  const open = isPaletteOpen.value;
  // Before the next key comes: what is typed at once after Ctrl+K belongs into the field.
  useLayoutEffect(() => {
    if (open) holder.current?.showModal();
    else {
      text.value = '';
      at.value = 0;
      holder.current?.close();
    }
  }, [open]);
  useEffect(() => {
    if (text.value.length < 2) {
      found.value = [];
      return;
    }
    const asked = text.value;
    const timer = setTimeout(() => {
      actorChoices(asked).then(
        (choices) => {
          if (text.value === asked) found.value = choices;
        },
        () => {
          found.value = [];
        },
      );
    }, 120);
    return () => clearTimeout(timer);
  }, [text.value]);
  if (!open) return <dialog ref={holder} class="palette" />;
  const wanted = text.value.toLowerCase();
  const choices = [
    ...fixedChoices().filter((one) => `${one.text} ${one.kind}`.toLowerCase().includes(wanted)),
    ...found.value,
  ].slice(0, maxShown);
  const choose = (choice: Choice | undefined): void => {
    isPaletteOpen.value = false;
    choice?.run();
  };
  const steer = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') at.value = Math.min(choices.length - 1, at.value + 1);
    else if (event.key === 'ArrowUp') at.value = Math.max(0, at.value - 1);
    else if (event.key === 'Enter') choose(choices[at.value]);
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a dialog closes with Escape by itself
    <dialog
      ref={holder}
      class="palette"
      aria-label="Go to"
      onClose={() => {
        isPaletteOpen.value = false;
      }}
      onClick={(event) => {
        if (event.target === holder.current) isPaletteOpen.value = false;
      }}
    >
      <input
        type="text"
        placeholder="Go to an event, entity, actor, page…"
        aria-label="Go to"
        value={text.value}
        autofocus
        onKeyDown={steer}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          at.value = 0;
        }}
      />
      <ul>
        {choices.map((choice, index) => (
          <li key={`${choice.kind}/${choice.text}`}>
            <button type="button" class={index === at.value ? 'at' : ''} onClick={() => choose(choice)}>
              <span>{choice.text}</span>
              <span class="dim">{choice.kind}</span>
            </button>
          </li>
        ))}
      </ul>
    </dialog>
  );
};
