// Which build of an asset is for this machine. The filters of builds are expressions over an entity; of those that only compare the
// operating system and the architecture, this machine can answer without one.
import { CtlError } from '../failure.ts';
import type { Json } from './api-client.ts';

const system = {
  os: process.platform === 'win32' ? 'windows' : process.platform,
  arch: process.arch === 'x64' ? 'amd64' : process.arch,
  platform_family: '',
};

const comparison = /^entity\.system\.(os|arch|platform_family) *==+ *['"]([\w.-]+)['"]$/;

const holds = (filter: string): boolean => {
  const [, key, value] = comparison.exec(filter.trim()) ?? [];
  return key !== undefined && system[key as keyof typeof system] === value;
};

/** Throws when none is, or it can't be told. */
export const assetBuildFits = (definition: Json): { readonly url: string; readonly hash: string } => {
  const spec = definition.spec as { builds?: readonly Json[] } & Json;
  const builds = spec.builds ?? [spec];
  const found = builds.find(({ filters }) => ((filters as string[] | null | undefined) ?? []).every(holds));
  if (found === undefined) throw new CtlError(`no build of the asset is for ${system.os} on ${system.arch}`);
  return { url: String(found.url), hash: String(found.sha512).toLowerCase() };
};
