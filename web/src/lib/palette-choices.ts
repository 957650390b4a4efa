// What the palette offers for what is typed: places to go to and things to do, the best match first. What the person may not
// do is not offered.
import type { EventRow } from '../../../src/http/inspect/events/protocol.ts';
import { machineNames } from '../chart/load-chart.ts';
import { acknowledgeFor } from '../views/acknowledge-dialog.tsx';
import { silenceEntity, silenceFor } from '../views/silence-dialog.tsx';
import { accessTo } from './access.ts';
import { encode } from './api.ts';
import { type Command, commandVerbs, readCommand } from './command-text.ts';
import { configKinds } from './config-kinds.ts';
import { keyInAll, keyOf, namespaceOf } from './event-key.ts';
import { duration } from './format.ts';
import { fuzzyScore } from './fuzzy.ts';
import { namespace, namespaces } from './namespaces.ts';
import { attempt } from './notices.ts';
import { type FoundEntity, findActors, findEntities, findEvents, readDefinitions } from './palette-search.ts';
import { createSilence, eventPath, isRunnable, rerun, resolveEvent } from './resources.ts';
import { go } from './router.ts';
import { savedViews } from './saved-views.ts';
import { logout, user } from './session.ts';
import { density, palette, palettes, theme, themes } from './settings.ts';
import { doLater } from './undo.ts';

export interface PaletteChoice {
  readonly text: string;
  readonly kind: string;
  readonly run: () => void;
  /** What is put into the field in place of running it. */
  readonly fill?: string;
}

const maxShown = 16;
const nothing = (): void => undefined;
const set = <T>(setting: { value: T }, value: T): void => {
  setting.value = value;
};

const verbs = (): readonly PaletteChoice[] => {
  const access = accessTo(namespace.value);
  const allowed = {
    silence: access.may('create', 'silenced'),
    acknowledge: access.may('update', 'events'),
    resolve: access.may('update', 'events'),
    run: access.may('create', 'checks'),
  };
  return commandVerbs
    .filter((verb) => allowed[verb])
    .map((verb) => ({
      text: verb === 'silence' ? 'silence … for 1 h' : `${verb} …`,
      kind: 'action',
      fill: `${verb} `,
      run: nothing,
    }));
};

/** What needs no question to the backend. */
export const fixedChoices = (): readonly PaletteChoice[] => {
  const access = accessTo(namespace.value);
  const inside = `/n/${encode(namespace.value)}`;
  const page = (text: string, to: string, isAllowed = true): readonly PaletteChoice[] =>
    isAllowed ? [{ text, kind: 'page', run: () => go(to) }] : [];
  const maySeeAll = access.mayEverywhere('inspect:get', 'actors');
  return [
    ...page('Events', `${inside}/events`, access.may('list', 'events')),
    ...page('Events of all namespaces', '/events'),
    ...page('Entities', `${inside}/entities`, access.may('list', 'entities')),
    ...page('Silences', `${inside}/silences`, access.may('list', 'silenced')),
    ...page('Configuration', `${inside}/config`),
    ...savedViews.value.map(({ name, to }) => ({ text: name, kind: 'view', run: () => go(to) })),
    ...verbs(),
    ...configKinds.flatMap(({ path, title, isNamespaced }) =>
      page(
        title,
        `${inside}/config/${path}`,
        isNamespaced ? access.may('list', path) : access.mayEverywhere('list', path),
      ),
    ),
    ...page('Actors', '/actors', access.may('inspect:get', 'actors')),
    ...page('Supervision tree', '/actors?as=tree', maySeeAll),
    ...page('Machines', '/actors?as=machines', access.may('inspect:get', 'actors')),
    ...page('System', '/system', maySeeAll),
    ...page('Open a recording', '/open'),
    ...machineNames().map((id) => ({ text: id, kind: 'machine', run: () => go(`/machine/${id}`) })),
    ...namespaces.value.map((name) => ({
      text: name,
      kind: 'namespace',
      run: () => go(`/n/${encode(name)}/events`),
    })),
    ...themes.map((name) => ({ text: `Theme: ${name}`, kind: 'look', run: () => set(theme, name) })),
    ...palettes.map((name) => ({
      text: `Colours: ${name}`,
      kind: 'look',
      run: () => set(palette, name),
    })),
    {
      text: 'Switch density',
      kind: 'look',
      run: () => set(density, density.value === 'compact' ? 'comfortable' : 'compact'),
    },
    { text: 'Log out', kind: 'action', run: logout },
  ];
};

const isHere = (name: string): boolean => name === namespace.peek();
/** With its namespace, where that is another than the one looked at. */
const titleOf = (row: EventRow): string => (isHere(namespaceOf(row)) ? keyOf(row) : keyInAll(row));
const entityTitle = ({ namespace: of, name }: FoundEntity): string => (isHere(of) ? name : `${of}/${name}`);

const uniqueEntities = (
  entities: readonly FoundEntity[],
  events: readonly EventRow[],
): readonly FoundEntity[] => {
  const all = [
    ...entities,
    ...events.map((row) => ({ namespace: namespaceOf(row), name: row.entity.metadata.name })),
  ];
  return [...new Map(all.map((one) => [`${one.namespace}/${one.name}`, one])).values()];
};

const goTo = (events: readonly EventRow[], entities: readonly FoundEntity[]): readonly PaletteChoice[] => [
  ...events.map((row) => ({
    text: titleOf(row),
    kind: row.check.status === 0 ? 'event' : 'event, not passing',
    run: () => go(eventPath(namespaceOf(row), row)),
  })),
  ...entities.map((entity) => ({
    text: entityTitle(entity),
    kind: 'entity',
    run: () => go(`/n/${encode(entity.namespace)}/entities/${encode(entity.name)}`),
  })),
];

const silences = (
  seconds: number | undefined,
  events: readonly EventRow[],
  entities: readonly FoundEntity[],
): readonly PaletteChoice[] => {
  const long = seconds === undefined ? '…' : ` for ${duration(seconds)}`;
  const make = (of: string, what: string, subscription: string, check: string): void => {
    const order = { subscription, check, reason: '', expire: seconds ?? -1, expireOnResolve: false };
    void attempt(`Silenced ${what}${long}`, () => createSilence(of, order));
  };
  return [
    ...entities
      .filter((entity) => accessTo(entity.namespace).may('create', 'silenced'))
      .map((entity) => ({
        text: `silence ${entityTitle(entity)}${long}`,
        kind: 'all of the entity',
        run: () =>
          seconds === undefined
            ? silenceEntity(entity.namespace, entity.name, nothing)
            : make(entity.namespace, entity.name, `entity:${entity.name}`, ''),
      })),
    ...events
      .filter((row) => accessTo(namespaceOf(row)).may('create', 'silenced'))
      .map((row) => ({
        text: `silence ${titleOf(row)}${long}`,
        kind: 'event',
        run: () =>
          seconds === undefined
            ? silenceFor(namespaceOf(row), [row], nothing)
            : make(
                namespaceOf(row),
                keyOf(row),
                `entity:${row.entity.metadata.name}`,
                row.check.metadata.name,
              ),
      })),
  ];
};

const resolveSoon = (row: EventRow): void =>
  doLater(`Resolving ${keyOf(row)}`, [keyInAll(row)], () => {
    const by = user.value ?? 'somebody';
    void attempt(`Resolved ${keyOf(row)}`, () => resolveEvent(namespaceOf(row), row, by));
  });

const orders = (
  { verb, seconds }: Command,
  events: readonly EventRow[],
  entities: readonly FoundEntity[],
): readonly PaletteChoice[] => {
  if (verb === 'silence') return silences(seconds, events, entities);
  const toEach = (
    isFit: (row: EventRow) => boolean,
    run: (row: EventRow) => void,
  ): readonly PaletteChoice[] =>
    events
      .filter(isFit)
      .map((row) => ({ text: `${verb} ${titleOf(row)}`, kind: 'event', run: () => run(row) }));
  const mayUpdate = (row: EventRow): boolean => accessTo(namespaceOf(row)).may('update', 'events');
  switch (verb) {
    case 'acknowledge':
      return toEach(
        (row) => row.check.state !== 'passing' && mayUpdate(row),
        (row) => acknowledgeFor([row], nothing),
      );
    case 'resolve':
      return toEach((row) => row.check.status !== 0 && mayUpdate(row), resolveSoon);
    case 'run':
      return toEach(
        (row) => isRunnable(row) && accessTo(namespaceOf(row)).may('create', 'checks'),
        (row) => void attempt(`Asked to run ${keyOf(row)} again`, () => rerun(namespaceOf(row), row)),
      );
  }
};

const none = <T>(): readonly T[] => [];

/** What the backend finds. A part that it refuses is left out. */
export const foundChoices = async (text: string): Promise<readonly PaletteChoice[]> => {
  const command = readCommand(text);
  const wanted = command?.target ?? text.trim();
  if (wanted.length < 2) return [];
  const of = namespace.peek();
  const [events, entities] = await Promise.all([
    findEvents(wanted).catch(none<EventRow>),
    findEntities(of, wanted).catch(none<FoundEntity>),
  ]);
  const all = uniqueEntities(entities, events);
  if (command !== undefined) return orders(command, events, all);
  const [definitions, actors] = await Promise.all([
    readDefinitions(of).catch(none<never>),
    findActors(of, wanted).catch(none<string>),
  ]);
  return [
    ...goTo(events, all),
    ...definitions.map(({ kind, name, shown }) => ({
      text: shown,
      kind: kind.one,
      run: () => go(`/n/${encode(of)}/config/${kind.path}/${encode(name)}`),
    })),
    ...actors.map((id) => ({ text: id, kind: 'actor', run: () => go(`/actor/${encode(id)}`) })),
  ];
};

/** What people come for most; machines and actors have names like everything else. */
const weights: Readonly<Record<string, number>> = { action: 12, view: 8, page: 6, machine: -12, actor: -12 };

/** The best matches, once each. */
export const bestOf = (text: string, choices: readonly PaletteChoice[]): readonly PaletteChoice[] => {
  const command = readCommand(text);
  const wanted = command?.target ?? text;
  const scored = choices.flatMap((choice, index) => {
    const score = fuzzyScore(choice.text, wanted) ?? fuzzyScore(`${choice.text} ${choice.kind}`, wanted);
    return score === undefined ? [] : [{ choice, score: score + (weights[choice.kind] ?? 0), index }];
  });
  scored.sort((a, b) => b.score - a.score || a.index - b.index);
  const unique = new Map(scored.map(({ choice }) => [`${choice.kind} ${choice.text}`, choice]));
  return [...unique.values()].slice(0, maxShown);
};
