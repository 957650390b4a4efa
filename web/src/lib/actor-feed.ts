// One actor, live: its view asked once, its transitions streamed, its context asked again soon after each change.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { ActorView, Frame } from '../../../src/http/inspect/protocol.ts';
import { ApiError, encode, getJson, inspect } from './api.ts';
import { setBackendTime } from './clock.ts';
import { listen } from './server-events.ts';

export interface ActorFeed {
  readonly view: ActorView | undefined;
  /** Oldest first, at most `keptFrames`. */
  readonly frames: readonly Frame[];
  readonly isLive: boolean;
  readonly problem: string | undefined;
  /** Frames the backend could not keep for us; null when it does not know how many. */
  readonly lost: number | null;
  readonly reload: () => void;
}

const keptFrames = 400;
const settleMs = 250;
/** Catches what no transition tells: restarts, a moved deadline, a lost stream. */
const refreshMs = 5_000;

export const useActor = (id: string): ActorFeed => {
  const view = useSignal<ActorView | undefined>(undefined);
  const frames = useSignal<readonly Frame[]>([]);
  const isLive = useSignal(false);
  const problem = useSignal<string | undefined>(undefined);
  const lost = useSignal<number | null>(0);
  const nudge = useSignal(0);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let left = false;
    view.value = undefined;
    frames.value = [];
    const take = (found: readonly Frame[]): void => {
      const known = new Set(frames.value.map((frame) => frame.seq));
      const fresh = found.filter((frame) => !known.has(frame.seq));
      if (fresh.length === 0) return;
      frames.value = [...frames.value, ...fresh].sort((a, b) => a.seq - b.seq).slice(-keptFrames);
    };
    const load = async (): Promise<void> => {
      clearTimeout(timer);
      try {
        const found = await getJson<ActorView>(inspect(`actors/${encode(id)}`));
        if (left) return;
        setBackendTime(found.nowMs);
        view.value = found;
        problem.value = undefined;
        take(found.history);
      } catch (error) {
        if (left) return;
        problem.value = error instanceof ApiError ? error.message : 'The backend does not answer.';
      }
      timer = setTimeout(load, refreshMs);
    };
    void load();
    const stop = listen(
      inspect(`stream?actors=${encode(id)}`),
      ({ event, data }) => {
        if (event === 'transitions') {
          const found = data as Frame[];
          take(found);
          const last = found.at(-1);
          const seen = view.value;
          if (seen !== undefined && last !== undefined)
            view.value = { ...seen, row: { ...seen.row, value: last.to }, deadlines: last.deadlines };
        }
        if (event === 'lagged') {
          const { dropped } = data as { dropped: number | null };
          lost.value = dropped === null || lost.value === null ? null : lost.value + dropped;
        }
        if (event === 'hello') return;
        clearTimeout(timer);
        timer = setTimeout(load, settleMs);
      },
      {
        onState: (open) => {
          isLive.value = open;
        },
      },
    );
    return () => {
      left = true;
      clearTimeout(timer);
      stop();
    };
  }, [id, nudge.value]);
  return {
    view: view.value,
    frames: frames.value,
    isLive: isLive.value,
    problem: problem.value,
    lost: lost.value,
    reload: () => {
      nudge.value += 1;
    },
  };
};
