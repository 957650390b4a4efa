// Writes what an import found: all of it or nothing. Everything is checked first; when the backend refuses one, what was written
// before is put back. What is there already as it should be is left alone, so an import can be repeated.
import type { ApiClient } from '../client/api-client.ts';
import { CtlError } from '../failure.ts';
import { type KindAddress, kindAddresses } from '../kinds/addresses.ts';
import { table } from '../output/table.ts';
import type { Session } from '../session.ts';
import { comparable } from '../sources/comparable.ts';
import type { Described } from '../sources/documents.ts';
import { findingsOf } from '../sources/offline-rules.ts';
import type { Report, ReportLine } from './report.ts';

interface Counts {
  read: number;
  created: number;
  changed: number;
  unchanged: number;
}

interface Written {
  readonly path: string;
  /** The body before; undefined when there was nothing. */
  readonly before: string | undefined;
}

const isSame = async (resource: Described, there: string): Promise<boolean> => {
  const { before, now } = await comparable(resource, there);
  return before === now;
};

const undo = async (session: Session, api: ApiClient, written: readonly Written[]): Promise<void> => {
  for (const { path, before } of [...written].reverse()) {
    const reply =
      before === undefined
        ? await api.send('DELETE', path)
        : await api.send('PUT', path, { body: JSON.parse(before) as unknown });
    if (reply.status >= 400 && reply.status !== 404)
      session.note(`${path} could not be put back: the backend answered ${reply.status}`);
  }
};

/** Resources the backend would refuse are reported, and left out with `skip`. */
const checked = (resources: readonly Described[], skip: boolean, report: Report): readonly Described[] => {
  const good: Described[] = [];
  const bad: string[] = [];
  for (const resource of resources) {
    const fault = findingsOf(resource).find(({ isError }) => isError);
    if (fault === undefined) good.push(resource);
    else bad.push(`${resource.kind.type} ${resource.name}: ${fault.message}`);
  }
  if (bad.length > 0 && !skip)
    throw new CtlError(
      `${bad.length} resources would be refused, so nothing was written; --skip-invalid leaves them out\n  ${bad.join('\n  ')}`,
    );
  for (const line of bad) report.leaveOut(line.split(': ')[0] ?? line, line.split(': ').slice(1).join(': '));
  return good;
};

const showLines = (session: Session, title: string, lines: readonly ReportLine[]): void => {
  if (lines.length === 0) return;
  session.print(`\n${title}:`);
  for (const { what, why } of lines) session.print(`  ${what}: ${why}`);
};

const show = (
  session: Session,
  counts: ReadonlyMap<KindAddress, Counts>,
  report: Report,
  isDry: boolean,
): void => {
  const rows = kindAddresses.flatMap((kind) => {
    const count = counts.get(kind);
    return count === undefined
      ? []
      : [[kind.type, count.read, count.created, count.changed, count.unchanged].map(String)];
  });
  const words = isDry ? ['To Create', 'To Change', 'Unchanged'] : ['Created', 'Changed', 'Unchanged'];
  session.print(table(['Type', 'Read', ...words], rows, session.look));
  showLines(session, 'Left out', report.left);
  showLines(session, 'To be looked at', report.notes);
};

export const writeImport = async (
  session: Session,
  all: readonly Described[],
  report: Report,
): Promise<void> => {
  const isDry = session.given['dry-run'] === 'true';
  const resources = checked(all, session.given['skip-invalid'] === 'true', report);
  const api = await session.api();
  const written: Written[] = [];
  const counts = new Map<KindAddress, Counts>();
  const ordered = kindAddresses.flatMap((kind) => resources.filter((resource) => resource.kind === kind));
  try {
    for (const resource of ordered) {
      const count = counts.get(resource.kind) ?? { read: 0, created: 0, changed: 0, unchanged: 0 };
      counts.set(resource.kind, count);
      count.read += 1;
      const there = await api.send('GET', resource.path);
      if (there.status >= 400 && there.status !== 404)
        throw new CtlError(`${resource.path}: the backend answered ${there.status}`);
      const before = there.status === 404 ? undefined : there.text;
      if (before !== undefined && (await isSame(resource, before))) {
        count.unchanged += 1;
        continue;
      }
      count[before === undefined ? 'created' : 'changed'] += 1;
      if (isDry) continue;
      await api.ask('PUT', resource.path, { body: resource.body }).catch((error: Error) => {
        throw new CtlError(`${resource.kind.type} ${resource.name} (${resource.where}): ${error.message}`);
      });
      written.push({ path: resource.path, before });
    }
  } catch (error) {
    await undo(session, api, written);
    throw error instanceof CtlError
      ? new CtlError(
          `${error.message}\nnothing was imported: ${written.length} resources that had been written were put back`,
        )
      : error;
  }
  show(session, counts, report, isDry);
};
