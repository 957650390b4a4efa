// The drawings that were laid out at build time, one small file a machine, fetched when first looked at.
import type { MachineGraph } from '../../../src/http/inspect/protocol.ts';
import type { ChartLayout } from '../../build/chart-layout.ts';

export interface Drawing {
  readonly graph: MachineGraph;
  readonly layout: ChartLayout;
}

const files = import.meta.glob<Drawing>('../generated/*.json', { import: 'default' });
const loaded = new Map<string, Promise<Drawing>>();

export const machineNames = (): string[] =>
  Object.keys(files).map((file) => file.replace(/^.*\/(.*)\.json$/, '$1'));

/** Undefined for a machine this page was not built with. */
export const loadDrawing = async (machine: string): Promise<Drawing | undefined> => {
  const load = files[`../generated/${machine}.json`];
  if (load === undefined) return undefined;
  const known = loaded.get(machine) ?? load();
  loaded.set(machine, known);
  return known;
};
