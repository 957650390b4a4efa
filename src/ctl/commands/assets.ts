// asset add and asset outdated: definitions from an index of assets that the user names.
import {
  assetAddress,
  compareVersions,
  fetchAsset,
  indexUrlOf,
  mustHaveIndex,
  newestVersion,
  readAssetName,
} from '../client/asset-index.ts';
import type { Work } from '../command.ts';
import { kindOfPath, listPath } from '../kinds/addresses.ts';
import { asJson } from '../output/documents.ts';
import { table } from '../output/table.ts';
import { at, shown } from '../output/values.ts';
import { readDocuments } from '../sources/documents.ts';
import { fetchList } from './resources.ts';

const annotation = (name: string): string => `io.sensu.bonsai.${name}`;

export const addAsset: Work = async (session, [word = '']) => {
  const asset = readAssetName(word);
  const index = mustHaveIndex(session);
  const { version, definition } = await fetchAsset(session, index, asset);
  const { rename } = session.given;
  const metadata = {
    ...(definition.metadata as object),
    name: typeof rename === 'string' ? rename : `${asset.namespace}/${asset.name}`,
    annotations: {
      ...(at(definition, 'metadata.annotations') as object | undefined),
      [annotation('api_url')]: assetAddress(index, asset),
      [annotation('namespace')]: asset.namespace,
      [annotation('name')]: asset.name,
      [annotation('version')]: version,
    },
  };
  const text = JSON.stringify({ ...definition, metadata });
  const [resource] = await readDocuments([{ name: `${index}: ${word}`, text }], session.settings.namespace);
  if (resource === undefined) return;
  await (await session.api()).ask('PUT', resource.path, { body: resource.body });
  session.print(`added asset: ${asset.namespace}/${asset.name}:${version}`);
  session.print(
    `Checks, handlers and filters run with it when their runtime_assets name "${metadata.name}", e.g.\n  mon-ctl check set-runtime-assets CHECK ${metadata.name}`,
  );
};

export const outdatedAssets: Work = async (session) => {
  const everywhere = session.given['all-namespaces'] === 'true';
  const path = listPath(kindOfPath('assets'), everywhere ? undefined : session.settings.namespace);
  const index = indexUrlOf(session);
  const found: {
    asset_name: string;
    bonsai_asset: string;
    current_version: string;
    latest_version: string;
  }[] = [];
  for (const asset of await fetchList(session, path)) {
    const own = ((asset.metadata as { annotations?: Record<string, string> | null }).annotations ??
      {}) as Record<string, string>;
    const [url, namespace, name, version] = ['api_url', 'namespace', 'name', 'version'].map(
      (key) => own[annotation(key)],
    );
    if (namespace === undefined || name === undefined || version === undefined) continue;
    const address = index === undefined ? url : assetAddress(index, { namespace, name });
    if (address === undefined) continue;
    const latest = await newestVersion(session, address);
    if (compareVersions(version, latest) < 0)
      found.push({
        asset_name: shown(at(asset, 'metadata.name')),
        bonsai_asset: `${namespace}/${name}`,
        current_version: version,
        latest_version: latest,
      });
  }
  if (session.settings.format !== 'tabular') return session.print(asJson(found));
  const rows = found.map((one) => Object.values(one));
  session.print(
    table(['Asset Name', 'Bonsai Asset', 'Current Version', 'Latest Version'], rows, session.look),
  );
};
