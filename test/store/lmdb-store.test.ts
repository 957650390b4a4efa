// The embedded store keeps the contract; the rest is what only a store on a disk has to promise.
import assert from 'node:assert/strict';
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { storeFormat } from '../../src/store/format-marker.ts';
import { openLmdbStore } from '../../src/store/lmdb-store.ts';
import { type SnapshotStore, StoreError } from '../../src/store/snapshot-store.ts';
import { eventually } from '../eventually.ts';
import { fc } from '../property.ts';
import { describeStoreContract } from './contract.ts';
import { changeMarker, quarantinedBytes, removeDir, tamper, temporaryDir } from './lmdb-home.ts';
import { collect, put, record, remove, stale, written } from './records.ts';

describeStoreContract('LMDB', {
  runs: 60,
  createHome: async () => {
    const dir = temporaryDir();
    return {
      open: () => openLmdbStore({ dir }),
      damage: (key) => tamper(dir, key, () => Buffer.from('\u0001????damaged')),
      quarantinedText: async (key) => (await quarantinedBytes(dir, key))?.toString('latin1'),
      dispose: async () => removeDir(dir),
    };
  },
});

const inDir = (title: string, body: (dir: string) => Promise<void>) =>
  it(title, async () => {
    const dir = temporaryDir();
    try {
      await body(dir);
    } finally {
      removeDir(dir);
    }
  });

describe('LMDB store: bit rot', () => {
  inDir('notices any one flipped bit of a record, and keeps the bytes aside as they were', async (dir) => {
    const position = fc.record({ share: fc.nat(999).map((n) => n / 1_000), bit: fc.nat(7) });
    const property = fc.asyncProperty(fc.noBias(position), async ({ share, bit }) => {
      let store = await openLmdbStore({ dir });
      const stored = (await store.get('check', 'k'))?.rev ?? 0;
      await store.commit([put('k', stored + 1, { text: 'some text to rot' })]);
      await store.close();
      let rotten: Buffer | undefined;
      await tamper(dir, 'k', (bytes) => {
        const at = Math.floor(bytes.length * share);
        bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
        rotten = Buffer.from(bytes);
        return bytes;
      });
      store = await openLmdbStore({ dir });
      assert.equal(await store.get('check', 'k'), undefined);
      assert.equal(store.quarantined().length, 1);
      await store.close();
      assert.deepEqual(await quarantinedBytes(dir, 'k'), rotten);
    });
    await fc.assert(property, { numRuns: 20 });
  });

  inDir('notices a revision that rotted, however new it pretends to be', async (dir) => {
    let store = await openLmdbStore({ dir });
    await store.commit([put('k', 1)]);
    await store.close();
    await tamper(dir, 'k', (bytes) => bytes, 2 ** 50);
    store = await openLmdbStore({ dir });
    assert.deepEqual(await store.commit([put('k', 2)]), [written]);
    assert.deepEqual(await store.get('check', 'k'), record(2));
    assert.match(store.quarantined()[0]?.reason ?? '', /revision 1 inside/);
    await store.close();
  });
});

describe('LMDB store: one writer a directory', () => {
  inDir(
    'refuses a second opening in the same process, and allows it after the first was closed',
    async (dir) => {
      const store = await openLmdbStore({ dir });
      await assert.rejects(openLmdbStore({ dir }), { name: 'StoreError', code: 'invalid' });
      assert.deepEqual(await store.commit([put('k', 1)]), [written]);
      await store.close();
      await (await openLmdbStore({ dir })).close();
    },
  );

  inDir('takes over from a killed process that its parent has not collected yet', async (dir) => {
    const child = fileURLToPath(new URL('./lmdb-child.js', import.meta.url));
    // The shell becomes a sleep, which collects nobody: its child stays a zombie.
    const parent = spawn('sh', ['-c', `"${process.execPath}" "${child}" "${dir}" & echo $!; exec sleep 60`]);
    try {
      const [line] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(line.toString());
      await eventually(
        'the child owns the directory',
        () => existsSync(`${dir}/owner.json`) && readFileSync(`${dir}/owner.json`, 'utf8').includes(`${pid}`),
      );
      process.kill(pid, 'SIGKILL');
      await eventually('it is dead and not collected', () =>
        /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8')),
      );
      await (await openLmdbStore({ dir })).close();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  inDir('names the process that has the directory; takes over once it was killed', async (dir) => {
    const child = fork(new URL('./lmdb-child.js', import.meta.url), [dir]);
    try {
      assert.deepEqual(await once(child, 'message').then(([message]) => message), { type: 'open' });
      await assert.rejects(openLmdbStore({ dir }), (error: StoreError) => {
        assert.equal(error.code, 'invalid');
        assert.match(error.message, new RegExp(`another backend \\(pid ${child.pid}\\) is using ${dir}`));
        return true;
      });
      const other = fork(new URL('./lmdb-child.js', import.meta.url), [dir]);
      const [refusal] = await once(other, 'message');
      assert.match(refusal.message, new RegExp(`pid ${child.pid}`));
    } finally {
      child.kill('SIGKILL');
    }
    await once(child, 'exit');
    const store = await openLmdbStore({ dir });
    assert.equal(JSON.parse(readFileSync(join(dir, 'owner.json'), 'utf8')).pid, process.pid);
    await store.close();
  });

  inDir(
    'takes over from a process whose pid belongs to somebody else now, or from before a reboot',
    async (dir) => {
      const store = await openLmdbStore({ dir });
      const mine = JSON.parse(readFileSync(join(dir, 'owner.json'), 'utf8'));
      await store.close();
      for (const claim of [
        { ...mine, pid: process.ppid, startTicks: '1' },
        { ...mine, pid: process.ppid, bootId: 'of another boot' },
        { ...mine },
      ]) {
        writeFileSync(join(dir, 'owner.json'), JSON.stringify(claim));
        await (await openLmdbStore({ dir })).close();
      }
      writeFileSync(join(dir, 'owner.json'), '{"pid": 1, "torn');
      await (await openLmdbStore({ dir })).close();
    },
  );
});

inDir('refuses a store written in a later format, and leaves it alone', async (dir) => {
  await (await openLmdbStore({ dir })).close();
  await changeMarker(dir, '{"format":99,"migrated":99,"program":"9.8.7"}');
  await assert.rejects(
    openLmdbStore({ dir }),
    (error: StoreError) =>
      error.code === 'invalid' &&
      /has format 99, written by mon-backend 9\.8\.7; this is mon-backend \d+\.\d+\.\d+, which reads formats up to \d+/.test(
        error.message,
      ),
  );
  await changeMarker(dir, '{"format":1}');
  const store = await openLmdbStore({ dir });
  assert.deepEqual([store.marker.format, store.marker.migrated], [storeFormat, 1]);
  await store.close();
});

inDir('says where it could not open a store', async (dir) => {
  writeFileSync(join(dir, 'file'), '');
  await assert.rejects(openLmdbStore({ dir: join(dir, 'file') }), (error: StoreError) => {
    assert.equal(error.code, 'unavailable');
    assert.ok(error.message.includes(`cannot open the store in ${dir}/file`), error.message);
    return true;
  });
});

describe('LMDB store: a full disk', () => {
  for (const [how, reserveBytes] of [
    ['before it is met, thanks to the reserve', 1024 * 1024],
    ['by the refusal of the system, without a reserve', 0],
  ] as const) {
    it(`refuses writes, serves reads, and goes on by itself when there is space: noticed ${how}`, async (test) => {
      const dir = temporaryDir();
      if (!mount(dir)) {
        console.error('SKIPPED: a full disk was NOT tested (no right to mount a tmpfs)');
        removeDir(dir);
        return test.skip('no right to mount a tmpfs');
      }
      try {
        await fillAndRecover(join(dir, 'store'), join(dir, 'ballast'), reserveBytes);
      } finally {
        execFileSync('umount', ['-l', dir]);
        removeDir(dir);
      }
    });
  }
});

async function fillAndRecover(dir: string, ballast: string, reserveBytes: number): Promise<void> {
  writeFileSync(ballast, Buffer.alloc(4 * 1024 * 1024));
  const store = await openLmdbStore({ dir, reserveBytes });
  let acked = 0;
  const fill = async () => {
    for (; acked < 50_000; acked += 64) {
      await store.commit(Array.from({ length: 64 }, (_, n) => put(`k${acked + n}`, 1, 'x'.repeat(2_000))));
    }
  };
  const isFull = (error: StoreError) => error instanceof StoreError && error.code === 'full';
  await assert.rejects(fill(), isFull);
  assert.ok(acked > 500, `only ${acked} written before the disk was full`);
  await assert.rejects(store.commit([put('late', 1, 'x'.repeat(500_000))]), isFull);
  await readsAll(store, acked);
  execFileSync('rm', [ballast]);
  const retry = () => store.commit([put('late', 1, 'x'.repeat(500_000))]);
  const outcomes = await eventually('the free space is noticed', () =>
    retry().catch((error) => (isFull(error) ? undefined : assert.fail(error))),
  );
  assert.deepEqual(outcomes, [written]);
  await store.close();
  const again = await openLmdbStore({ dir, reserveBytes });
  await readsAll(again, acked);
  assert.equal((await again.get('check', 'late'))?.rev, 1);
  await again.close();
}

async function readsAll(store: SnapshotStore, acked: number): Promise<void> {
  const seen = await collect(store.scan('check', { prefix: 'k' }));
  assert.ok(seen.length >= acked, `${seen.length} of ${acked} left`);
  assert.deepEqual(store.quarantined(), []);
}

function mount(dir: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=12m', 'tmpfs', dir], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

inDir('does not let a writer that bypassed the claim overwrite something newer', async (dir) => {
  const store = await openLmdbStore({ dir });
  await store.commit([put('k', 1)]);
  const theirs = store.commit([put('k', 2, 'ours')]);
  const during = store.commit([put('k', 2, 'too late'), remove('k', 1)]);
  const outcomes = [...(await theirs), ...(await during)];
  assert.deepEqual(outcomes, [written, stale(2), stale(2)]);
  assert.equal((await store.get('check', 'k'))?.state, 'ours');
  await store.close();
});
