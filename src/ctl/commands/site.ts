// What concerns the whole site: the health of the cluster, the license, the reporting setting of the reference product.
import type { Json } from '../client/api-client.ts';
import type { Work } from '../command.ts';
import { RefusedError } from '../failure.ts';
import { asJson } from '../output/documents.ts';
import { details, table } from '../output/table.ts';
import { at, shown } from '../output/values.ts';
import { confirm } from '../prompt.ts';
import type { Session } from '../session.ts';
import { describing } from './resources.ts';

const licensePath = '/api/enterprise/licensing/v2/license';
const tessenPath = '/api/core/v2/tessen';

export const health: Work = async (session) => {
  const body = (await (await session.api()).get('/health', { timeout: '3' })) as Json;
  if (session.settings.format !== 'tabular') return session.print(asJson(body));
  const members = (at(body, 'ClusterHealth') as Json[] | null | undefined) ?? [];
  const rows = members.map((member) =>
    ['MemberIDHex', 'Name', 'Err', 'Healthy'].map((key) => shown(member[key])),
  );
  session.print(`=== Cluster ID: ${shown(at(body, 'Header.cluster_id'))}`);
  session.print(table(['ID', 'Name', 'Error', 'Healthy'], rows, session.look));
};

export const clusterId: Work = async (session) =>
  session.print(`cluster id: ${shown(await (await session.api()).get('/api/core/v2/cluster/id'))}`);

export const members: Work = async (session) => {
  const body = (await (await session.api()).get('/api/core/v2/cluster/members')) as Json;
  if (session.settings.format !== 'tabular') return session.print(asJson(body));
  const list = (body.members as Json[] | null | undefined) ?? [];
  const rows = list.map((member) =>
    ['ID', 'name', 'peerURLs', 'clientURLs'].map((key) => shown(member[key])),
  );
  session.print(table(['ID', 'Name', 'Peer URLs', 'Client URLs'], rows, session.look));
};

const clusterPath = '/api/inspect/v1/cluster';

export const clusterStatus: Work = async (session) => {
  const body = (await (await session.api()).get(clusterPath)) as Json;
  if (session.settings.format !== 'tabular') return session.print(asJson(body));
  if (body.cluster !== true)
    return session.print(
      'This backend is no member of a cluster: it serves alone, or has others on standby.',
    );
  const list = (body.members as Json[] | null | undefined) ?? [];
  const rows = list.map((member) =>
    ['name', 'state', 'shards', 'moving', 'api', 'version', 'why'].map((key) =>
      key === 'shards' && member.shards === null ? '?' : shown(member[key]),
    ),
  );
  session.print(table(['Name', 'State', 'Shards', 'Moving', 'API', 'Version', 'Remark'], rows, session.look));
  if (body.shards_without_owner !== 0)
    session.print(`${shown(body.shards_without_owner)} shards have no owner at the moment`);
};

export const drainMember: Work = async (session, [name = '']) => {
  const question = `${name} will hand its shards over to the other members and end. Go on?`;
  if (!(await confirm(session, question))) return session.print('Canceled');
  await (await session.api()).ask('POST', `${clusterPath}/members/${encodeURIComponent(name)}/drain`);
  session.print(`${name} drains; \`mon-ctl cluster status\` shows when it is gone`);
};

export const showLicense: Work = async (session) => {
  const body = await describing(session, 'license', false, (await session.api()).getOne(licensePath));
  if (session.settings.format !== 'tabular') return session.print(asJson(body));
  const license = (at(body, 'spec.license') ?? at(body, 'spec') ?? body) as Json;
  const rows = Object.entries(license).map(([key, value]) => [key, shown(value)] as const);
  session.print(details('License', rows, session.look));
};

export const deleteLicense: Work = async (session) => {
  if (!(await confirm(session, 'Are you sure you would like to delete the license?')))
    return session.print('Canceled');
  await (await session.api()).ask('DELETE', licensePath);
  session.print('Deleted');
};

export const showTessen: Work = async (session) => {
  const body = (await (await session.api()).get(tessenPath)) as Json;
  if (session.settings.format !== 'tabular') return session.print(asJson(body));
  session.print(details('Tessen', [['Opt-Out', String(body.opt_out === true)]], session.look));
};

const opt =
  (out: boolean): Work =>
  async (session) => {
    if (out && !(await confirm(session, 'Are you sure you would like to opt out of tessen?')))
      return session.print('Canceled');
    await (await session.api()).ask('PUT', tessenPath, { body: { opt_out: out } });
    session.print('Updated');
  };
export const optIn = opt(false);
export const optOut = opt(true);

const memberPath = (id = ''): string =>
  `/api/core/v2/cluster/members${id === '' ? '' : `/${encodeURIComponent(id)}`}`;

/** Asks for a change of the members; where the backend has no such route, says how members come and go. */
const changeMembers = async (
  session: Session,
  method: string,
  id: string,
  query: Readonly<Record<string, string>>,
): Promise<void> => {
  try {
    await (await session.api()).ask(method, memberPath(id), { query });
  } catch (error) {
    if (error instanceof RefusedError && (error.status === 404 || error.status === 405))
      throw new RefusedError(
        'this backend has no list of members to change: a member comes when a backend is started with the same store, and goes when it stops',
        error.status,
        error.code,
      );
    throw error;
  }
};

export const addMember: Work = async (session, [name = '', peers = '']) => {
  await changeMembers(session, 'POST', '', { 'peer-addrs': peers, name });
  session.print(`added member ${name} to cluster`);
};

export const updateMember: Work = async (session, [id = '', peers = '']) => {
  await changeMembers(session, 'PUT', id, { 'peer-addrs': peers });
  session.print(`Updated member with ID ${id} in cluster`);
};

export const removeMember: Work = async (session, [id = '']) => {
  await changeMembers(session, 'DELETE', id, {});
  session.print(`Removed member ${id} from cluster`);
};
