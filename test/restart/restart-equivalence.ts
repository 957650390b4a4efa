// Plays one scenario twice, with and without kills, and says where the two backends differ.
import { refusalsCheckName } from '../../src/actors/families/client/refusals.ts';
import { differences } from './differences.ts';
import { observe, type Seen } from './observe.ts';
import type { Step } from './operations.ts';
import { Player } from './player.ts';

const settleMs = 900_000;

interface Life {
  readonly answers: readonly (number | undefined)[];
  readonly atOnce: Seen;
  readonly later: Seen;
  /** Who was told of what, each once however often. */
  readonly told: ReadonlySet<string>;
  /** Requests that agents got, as `agent check second`. */
  readonly requests: ReadonlySet<string>;
}

const live = async (steps: readonly Step[], kills: boolean): Promise<Life> => {
  const player = await Player.open({ kills, entityLimit: 6 });
  try {
    await player.play(steps);
    const atOnce = await observe(player, { settled: false });
    await player.play([{ operation: { type: 'handlers', failing: false }, kill: 'never' }]);
    await player.world.advance(settleMs);
    const later = await observe(player, { settled: true });
    const { told, agents } = player.world;
    return {
      answers: player.answers,
      atOnce,
      later,
      told: new Set(told.map(({ entity, check, status, event }) => toldOf(entity, check, status, event))),
      requests: new Set(
        agents.flatMap(({ name, requests }) =>
          requests.map(({ check, issued, request }) =>
            [name, check, issued, request.config.proxy_entity_name].join(' '),
          ),
        ),
      ),
    };
  } finally {
    await player.close();
  }
};

/** Told of a state that lasts: how often, and when it was noticed, is no promise. */
const toldByState = ['keepalive', 'configuration', refusalsCheckName];

const toldOf = (
  entity: string,
  check: string,
  status: number,
  {
    check: { executed = 0, occurrences = 0 } = {},
  }: { check?: { executed?: number; occurrences?: number } | undefined },
): string =>
  toldByState.includes(check)
    ? `${entity} ${check} ${status > 0}`
    : [entity, check, status, executed, occurrences].join(' ');

const compare = (killed: Life, spared: Life): readonly string[] => [
  ...killed.answers.flatMap((answer, index) =>
    answer === undefined ? [] : differences(`answer to operation ${index}`, answer, spared.answers[index]),
  ),
  ...differences('at once', killed.atOnce, spared.atOnce),
  ...differences('later', killed.later, spared.later),
  ...onlyIn('told only without kills', spared.told, killed.told),
  ...onlyIn('told only with kills', killed.told, spared.told),
  ...onlyIn('agents asked only without kills', spared.requests, killed.requests),
  ...onlyIn('agents asked only with kills', killed.requests, spared.requests),
];

const onlyIn = (what: string, some: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] =>
  [...some].filter((one) => !others.has(one)).map((one) => `${what}: ${one}`);

/** Where a backend that was killed differs from one that was not, a line each; empty when nobody can tell them apart. */
export const traitsOfKills = async (steps: readonly Step[]): Promise<readonly string[]> =>
  compare(await live(steps, true), await live(steps, false));
