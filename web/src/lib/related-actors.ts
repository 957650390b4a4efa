// The actors one actor talks with, and what happens to all of them.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ActorPage, ActorView, Frame } from '../../../src/http/inspect/protocol.ts';
import { encode, getJson, inspect } from './api.ts';
import { wantedBeside } from './lanes.ts';
import { listen } from './server-events.ts';

const maxOfAKind = 6;
const keptFrames = 300;

export const askRelated = async (id: string): Promise<readonly string[]> => {
  const pages = await Promise.all(
    wantedBeside(id).map(async ({ prefix, isWhole }) => {
      const page = await getJson<ActorPage>(inspect(`actors?limit=${maxOfAKind}&prefix=${encode(prefix)}`));
      return page.items.map((row) => row.id).filter((found) => !isWhole || found === prefix);
    }),
  );
  return [...new Set([...pages.flat(), id])];
};

export interface FramesOfActors {
  /** Oldest first. */
  readonly frames: readonly Frame[];
  /** The backend records every transition of these actors from here on. */
  readonly isWatching: boolean;
}

/** The transitions of several actors in one list, growing while somebody looks. */
export const useFramesOf = (actors: readonly string[]): FramesOfActors => {
  const frames = useSignal<ReadonlyMap<number, Frame>>(new Map());
  const isWatching = useSignal(false);
  useEffect(() => {
    frames.value = new Map();
    isWatching.value = false;
    if (actors.length === 0) return;
    let left = false;
    const take = (found: readonly Frame[]): void => {
      if (left) return;
      const all = new Map([...frames.value, ...found.map((frame): [number, Frame] => [frame.seq, frame])]);
      frames.value = new Map([...all].sort(([a], [b]) => a - b).slice(-keptFrames));
    };
    const loadHistories = (): void => {
      for (const id of actors)
        getJson<ActorView>(inspect(`actors/${encode(id)}`)).then(
          ({ history }) => take(history),
          // It is gone since it was listed: there is nothing to show of it.
          () => undefined,
        );
    };
    const stop = listen(
      inspect(`stream?actors=${actors.map(encode).join(',')}`),
      ({ event, data }) => {
        if (event === 'transitions') take(data as Frame[]);
        if (event !== 'hello') return;
        // Histories are read once the stream is open: what happens in between is in both, and nothing is in neither.
        isWatching.value = true;
        loadHistories();
      },
      {
        onState: (open) => {
          if (!open) isWatching.value = false;
        },
      },
    );
    return () => {
      left = true;
      stop();
    };
  }, [actors.join(' ')]);
  return { frames: [...frames.value.values()], isWatching: isWatching.value };
};
