// What a fixture of a durable family says about one member, so that a family without peculiarities needs no code of its own in the
// tests: `"member": {"key": "lamp/hall", "facts": [{"type": "lamp.switched"}]}` beside its record.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface FixtureMember {
  readonly key: string;
  /** The input of its machine. */
  readonly input?: unknown;
  /** Messages, of which the first changes what is stored. They get the time of now as `nowMs`. */
  readonly facts: readonly { readonly type: string }[];
}

/** The member that the newest fixture describes; undefined if none does. */
export const fixtureMember = (family: string): FixtureMember | undefined => {
  const folder = `test/fixtures/${family}`;
  if (!existsSync(folder)) return undefined;
  const versions = readdirSync(folder).map((file) => Number(/^v(\d+)\.json$/.exec(file)?.[1] ?? 0));
  const newest = JSON.parse(readFileSync(`${folder}/v${Math.max(...versions)}.json`, 'utf8')) as {
    readonly member?: FixtureMember;
  };
  return newest.member;
};
