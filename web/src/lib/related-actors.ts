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

/** The transitions of several actors in one list, oldest first, growing while somebody looks. */
export const useFramesOf = (actors: readonly string[]): readonly Frame[] => {
  const frames = useSignal<ReadonlyMap<number, Frame>>(new Map());
  useEffect(() => {
    frames.value = new Map();
    if (actors.length === 0) return;
    let left = false;
    const take = (found: readonly Frame[]): void => {
      if (left) return;
      const all = new Map([...frames.value, ...found.map((frame): [number, Frame] => [frame.seq, frame])]);
      frames.value = new Map([...all].sort(([a], [b]) => a - b).slice(-keptFrames));
    };
    for (const id of actors)
      getJson<ActorView>(inspect(`actors/${encode(id)}`)).then(
        ({ history }) => take(history),
        // It is gone since it was listed: there is nothing to show of it.
        () => undefined,
      );
    const stop = listen(inspect(`stream?actors=${actors.map(encode).join(',')}`), ({ event, data }) => {
      if (event === 'transitions') take(data as Frame[]);
    });
    return () => {
      left = true;
      stop();
    };
  }, [actors.join(' ')]);
  return [...frames.value.values()];
};
