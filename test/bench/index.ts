// `npm run bench`: every bench in turn, each printing its figures. Nothing is asserted: figures are read by people, and
// change with the machine. Each bench also runs alone.
import { benchAgent } from './agent.ts';
import { benchCheckMachine } from './check-machine.ts';
import { benchHttp } from './http.ts';
import { benchRoad } from './road.ts';
import { benchStalledReaders } from './stalled-readers.ts';
import { benchSupervision } from './supervision.ts';
import { benchWatching } from './watching.ts';

const benches = {
  supervision: benchSupervision,
  'check machine': benchCheckMachine,
  road: benchRoad,
  agent: benchAgent,
  http: benchHttp,
  watching: benchWatching,
  'readers that stop reading': benchStalledReaders,
};

for (const [name, bench] of Object.entries(benches)) {
  console.log(`\n== ${name}`);
  await bench();
}
