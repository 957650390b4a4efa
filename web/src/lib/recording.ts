// What an actor page has seen, as a file: the machine's graph hash, the last look at the actor, its transitions. Read
// back later, with no backend, by the same page.
import type { ActorView, Frame } from '../../../src/http/inspect/protocol.ts';

export interface Recording {
  readonly format: 'mon-recording/1';
  readonly savedAtMs: number;
  readonly actor: string;
  /** Hash of the machine's graph; the drawing of another one may not fit. */
  readonly sha: string;
  readonly view: ActorView;
  readonly frames: readonly Frame[];
}

const format = 'mon-recording/1';

export const recordingOf = (view: ActorView, frames: readonly Frame[], savedAtMs: number): Recording => ({
  format,
  savedAtMs,
  actor: view.row.id,
  sha: view.sha,
  view: { ...view, history: [], canControl: false },
  frames,
});

/** Throws an Error that says why a text is no recording. */
export const readRecording = (text: string): Recording => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('This file is not JSON. Choose one that was saved on the page of an actor.');
  }
  const found = value as Partial<Recording> | null;
  if (found?.format !== format)
    throw new Error(`This file is no recording of an actor: its "format" is not ${format}.`);
  if (typeof found.view?.row?.machine !== 'string' || !isFrames(found.frames))
    throw new Error('This recording is damaged: its view or its transitions are missing.');
  return found as Recording;
};

const isFrames = (value: unknown): value is readonly Frame[] =>
  Array.isArray(value) &&
  value.every((one: Partial<Frame> | null) => typeof one?.seq === 'number' && Array.isArray(one.candidates));

export const fileNameOf = (recording: Recording): string =>
  `${recording.actor.replace(/[^\w.-]+/g, '_')}-${new Date(recording.savedAtMs).toISOString().replace(/[:.]/g, '-')}.json`;
