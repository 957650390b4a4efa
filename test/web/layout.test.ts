import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineGraph } from '../../src/http/inspect/machine-graph.ts';
import { allMachines } from '../../src/main/all-machines.ts';
import { chartSvg } from '../../web/build/chart-svg.ts';
import { layoutChart } from '../../web/build/layout.ts';
import { sampleMachine } from '../http/inspect/sample-machine.ts';
import { complaints } from './layout-checks.ts';

const graph = machineGraph(sampleMachine, 'Sample');

test('one of everything is drawn: nested, parallel, final, history, always, self and group transitions', async () => {
  assert.deepEqual(complaints(graph, await layoutChart(graph)), []);
});

test('the checks see a drawing that is not whole', async () => {
  const chart = await layoutChart(graph);
  const lamp = 'sample.lamp';
  const moved = {
    ...chart,
    states: { ...chart.states, [lamp]: chart.states['sample.road'] ?? [0, 0, 0, 0] },
  };
  assert.ok(complaints(graph, moved).some((text) => text.includes('overlaps')));
  const cut = { ...chart, edges: chart.edges.slice(1) };
  assert.ok(complaints(graph, cut).some((text) => text.includes('not drawn')));
});

for (const { machine, title } of allMachines) {
  test(`the ${machine.id} machine is drawn whole`, async () => {
    const drawn = machineGraph(machine, title);
    const layout = await layoutChart(drawn);
    assert.deepEqual(complaints(drawn, layout), []);
    // The same as a file, as the handbook shows it.
    const svg = chartSvg(drawn, layout);
    const texts = new Set([...svg.matchAll(/<text[^>]*>([^<]*)/g)].map(([, text]) => text));
    for (const { key } of drawn.states) assert.ok(texts.has(key), `the file does not show the state ${key}`);
    for (const { label } of drawn.transitions) assert.ok(texts.has(label), `the file does not show ${label}`);
  });
}
