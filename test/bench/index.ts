// `npm run bench`: every bench in turn, each printing its figures; `npm run bench -- NAME...` those. Nothing is asserted:
// figures are read by people, and change with the machine. Each bench also runs alone.
import { benchAgent } from './agent.ts';
import { benchBus } from './bus.ts';
import { benchCheckMachine } from './check-machine.ts';
import { benchCtl } from './ctl.ts';
import { benchGarbage } from './garbage.ts';
import { benchHttp } from './http.ts';
import { benchReal } from './real/index.ts';
import { benchRoad } from './road.ts';
import { benchStalledReaders } from './stalled-readers.ts';
import { benchSupervision } from './supervision.ts';
import { benchWatching } from './watching.ts';

const benches: Readonly<Record<string, () => void | Promise<void>>> = {
  real: benchReal,
  supervision: benchSupervision,
  'check machine': benchCheckMachine,
  road: benchRoad,
  garbage: benchGarbage,
  agent: benchAgent,
  bus: benchBus,
  http: benchHttp,
  'mon-ctl': benchCtl,
  watching: benchWatching,
  'readers that stop reading': benchStalledReaders,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
if (unknown.length > 0) {
  console.error(`no bench ${unknown.join(', ')}; there are: ${Object.keys(benches).join(', ')}`);
  process.exit(1);
}

for (const [name, bench] of Object.entries(benches)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`\n== ${name}`);
  await bench();
}
