// How a life comes about: where it starts from, which may take a while to find, and the XState actor made of it.
import type { AnyActor, Snapshot } from 'xstate';
import type { ActorId, ActorMessage, Behaviour, ExitReason, Origin } from '../contract.ts';
import { asError } from '../inspection/facts.ts';
import type { Deadlines } from '../time/deadlines.ts';
import { type EffectLogic, effectLogic, takeEffects } from './effect-logic.ts';

export interface OriginListener {
  found(origin: Origin): void;
  failed(reason: ExitReason): void;
}

/** Tells the listener once, unless the returned function is called before. An answer after the timeout changes nothing. */
export const awaitOrigin = (
  origin: Promise<Origin>,
  { timeoutMs, deadlines }: { readonly timeoutMs: number; readonly deadlines: Deadlines },
  listener: OriginListener,
): (() => void) => {
  let open = true;
  const timer = deadlines.after(timeoutMs, () => {
    open = false;
    listener.failed({ type: 'killed', afterMs: timeoutMs });
  });
  const cancel = (): void => {
    open = false;
    deadlines.disarm(timer);
  };
  const once =
    <T>(tell: (value: T) => void) =>
    (value: T): void => {
      if (!open) return;
      cancel();
      tell(value);
    };
  origin.then(
    once((found) => listener.found(found)),
    once((error: unknown) => listener.failed({ type: 'abnormal', error: asError(error) })),
  );
  return cancel;
};

/** Who creates XState actors: the supervisor. */
export interface ActorMaker {
  createActor(logic: EffectLogic, id: ActorId, origin: Origin): AnyActor;
}

/** A running actor, or why there is none; what its start asked for waits in `takeEffects`. */
export const startActor = (
  maker: ActorMaker,
  { machine }: Behaviour,
  id: ActorId,
  origin: Origin,
): AnyActor | Error => {
  try {
    const actor = maker.createActor(effectLogic(machine), id, origin);
    actor.start();
    const snapshot: Snapshot<unknown> = actor.getSnapshot();
    if (snapshot.status !== 'error') return actor;
    takeEffects();
    return asError(snapshot.error);
  } catch (error) {
    takeEffects();
    return asError(error);
  }
};

/** The first message of a life; an error when the behaviour threw instead of making it. */
export const firstMessageOf = (behaviour: Behaviour, origin: Origin): ActorMessage | Error | undefined => {
  try {
    return behaviour.firstMessage?.(origin);
  } catch (error) {
    return asError(error);
  }
};
