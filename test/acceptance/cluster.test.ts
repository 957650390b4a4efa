// Three backends that serve together, as real processes with a real NATS server: they share the load, one is killed under it, and
// one hands its share over. The books are those of the agents: what was acknowledged is there, once, and nobody is called silent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { natsSkipReason, startNats } from '../cluster/nats-server.ts';
import { startFastMongodb } from '../store/mongodb-server.ts';
import { AckedSender } from './acked-sender.ts';
import { startCluster, statusAt, untilReady, untilShared } from './cluster-members.ts';
import { ApiClient, eventually, inDefault, startAgent, tempDir } from './programs.ts';
import { ended } from './standby-members.ts';

const skip = natsSkipReason();
const checks = ['c0', 'c1'];

/** As agents do: until a backend takes it. */
const connect = (sender: AckedSender, url: string): Promise<boolean> =>
  eventually(`a connection to ${url}`, () =>
    sender.connect(url, true).then(
      () => true,
      () => false,
    ),
  );

test('three members share the load; one is killed, one drains, and nothing acknowledged is lost', {
  skip,
}, async (t) => {
  const mongo = await startFastMongodb();
  t.after(() => mongo.stop());
  const nats = await startNats(['max_payload: 4194304']);
  t.after(() => nats.stop());
  await tempDir(async (dir) => {
    const cluster = await startCluster(t, dir, {
      storeUrl: `${mongo.url}/mon_cluster_${process.pid}`,
      busUrl: nats.url,
    });
    const [b1, b2, b3] = cluster.members;
    assert.ok(b1 && b2 && b3);
    const api = await ApiClient.login(b1.api);
    await untilShared(api, ['b1', 'b2', 'b3']);

    const real = ended(
      t,
      startAgent(b2, dir, [
        ...['--backend-url', b3.agents, '--backend-url', b1.agents],
        ...['--name', 'real', '--subscriptions', 'all'],
        ...['--keepalive-interval', '2', '--keepalive-warning-timeout', '30'],
      ]),
    );
    const senders = Array.from({ length: 9 }, (_, index) => new AckedSender(`a${index}`, checks, 4));
    t.after(() => senders.map((sender) => sender.disconnect()));
    const at = (index: number, among: readonly { readonly agents: string }[]): string =>
      among[index % among.length]?.agents ?? '';
    await Promise.all(senders.map((sender, index) => connect(sender, at(index, cluster.members))));
    const acked = (): number =>
      senders.reduce((sum, { books }) => sum + [...books.acked.values()].reduce((a, b) => a + b, 0), 0);
    const more = async (count: number): Promise<void> => {
      const from = acked();
      await eventually(`${count} more acknowledged`, () => acked() >= from + count);
    };
    await more(300);

    // Killed under load: its agents go elsewhere, the others take its shards.
    await cluster.programs.get('b2')?.kill('SIGKILL');
    await Promise.all(
      senders.map(async (sender, index) => {
        if (index % 3 !== 1) return;
        sender.disconnect();
        await connect(sender, at(index, [b1, b3]));
      }),
    );
    await untilShared(api, ['b1', 'b3']);
    await more(300);

    // It comes back and gets its share; another one hands its share over and ends.
    cluster.start(b2);
    await untilReady(b2);
    await untilShared(api, ['b1', 'b2', 'b3']);
    await more(100);
    const leaving = cluster.programs.get('b3')?.kill('SIGTERM');
    assert.equal((await leaving)?.code, 0);
    await Promise.all(
      senders.map(async (sender, index) => {
        sender.disconnect();
        await connect(sender, at(index, [b1, b2]));
      }),
    );
    await untilShared(api, ['b1', 'b2']);
    await more(300);

    for (const sender of senders) sender.stopSending();
    await eventually('everything is acknowledged', () => senders.every(({ unacked }) => unacked === 0));
    for (const member of [b1, b2]) {
      const reader = api.at(member.api);
      for (const { agent, books, refusals } of senders) {
        assert.deepEqual(refusals, []);
        for (const check of checks) {
          const event = await reader.get<{ readonly check: { readonly occurrences: number } }>(
            inDefault(`events/${agent}/${check}`),
          );
          assert.equal(event.check.occurrences, books.sent.get(check), `${agent}/${check} at ${member.name}`);
        }
        const keepalive = await reader.get<{ readonly check: { readonly status: number } }>(
          inDefault(`events/${agent}/keepalive`),
        );
        assert.equal(keepalive.check.status, 0, `${agent} was called silent`);
      }
    }
    const event = await api.get<{ readonly check: { readonly status: number } }>(
      inDefault('events/real/keepalive'),
    );
    assert.equal(event.check.status, 0, 'the real agent was called silent');
    await real.kill();
    assert.deepEqual((await statusAt(api)).map(({ name }) => name).sort(), ['b1', 'b2']);
  });
});
