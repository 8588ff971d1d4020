/** Full disk: requests are refused with a remedy, nothing is damaged, and with space again all goes on. */
import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { randomOf } from '../../samples/generator/random.ts';
import { untilSwept } from '../crash/disk.ts';
import { MortalService } from '../crash/mortal-service.ts';
import { TestProject, type Work } from '../inputs/project.ts';
import { fhirText, vcfHeader } from '../inputs/texts.ts';
import type { Reply } from '../support/app.ts';
import { until } from '../support/until.ts';
import { SmallDisk } from './small-disk.ts';

const diskMebibytes = 96;
const mebibyte = 2 ** 20;
const full = 'The storage is full: free space or add some, then try again.';

const disk = SmallDisk.mount(diskMebibytes);
let service: MortalService;
let project: TestProject;
let kept: string;

before(async () => {
  if (!disk) return;
  service = await MortalService.startIn(disk.folder, { PLOIDY_IDLE_WORKERS: '1' });
  project = await TestProject.make(service.call, 'Full');
  kept = await project.upload('kept.bin', Buffer.alloc(mebibyte, 'kept'));
  await project.take('patients.ndjson', fhirText('p', 30, 1));
});
after(async () => {
  await service?.kill();
  disk?.unmount();
});

const skip = disk ? false : 'this process may not mount a small disk';

function testOnFull(name: string, body: (context: TestContext, disk: SmallDisk) => Promise<void>): void {
  test(name, { skip }, async (context) => {
    try {
      if (disk) await body(context, disk);
    } finally {
      disk?.free();
    }
  });
}

function assertFull(reply: Pick<Reply, 'status' | 'headers' | 'text'>): void {
  const { error, code } = JSON.parse(reply.text);
  assert.deepEqual([reply.status, code, error], [503, 'STORAGE_FULL', full]);
  assert.ok(Number(reply.headers.get('retry-after')) > 0);
}

async function put(url: string, bytes: Uint8Array): Promise<Pick<Reply, 'status' | 'headers' | 'text'>> {
  const reply = await fetch(url, { method: 'PUT', body: bytes as never });
  return { status: reply.status, headers: reply.headers, text: await reply.text() };
}

/** Numbers that no compression makes small. */
function manyRows(rows: number): string {
  const { below } = randomOf('full');
  const lines = Array.from({ length: rows }, (_, row) => {
    return `1\t${1 + row * 100 + below(100)}\t.\tA\tG\t${below(1_000_000) / 1000}\tPASS\t.\tGT\t0/1\n`;
  });
  return vcfHeader('many') + lines.join('');
}

function assertFailed({ state, error }: Work, code: string): void {
  assert.deepEqual([state, error?.code, error?.message], ['failed', code, full]);
}

testOnFull(
  'an upload is refused, shows nothing, and succeeds at the same address with space again',
  async (_, disk) => {
    const body = { name: 'big.bin', datasetId: project.id };
    const whole = (await service.call('POST', '/v1/files', { body })).body;
    const parted = (await service.call('POST', '/v1/uploads', { body: { ...body, name: 'parts.bin' } })).body;
    const partPath = `/v1/uploads/${parted.uploadId}/parts/1`;
    const part = (await service.call('GET', partPath)).body;
    const bytes = Buffer.alloc(8 * mebibyte, 'big');
    assert.equal((await put(part.uploadUrl, bytes)).status, 200);
    disk.fill(2 * mebibyte);
    assertFull(await put(whole.uploadUrl, bytes));
    assertFull(await put(part.uploadUrl, bytes));
    // Joining needs the same again.
    assertFull(await service.call('DELETE', `/v1/uploads/${parted.uploadId}`));
    assert.deepEqual(await project.fileNames('big'), []);
    assert.deepEqual(await project.fileNames('parts'), []);
    disk.free();
    assert.equal((await put(whole.uploadUrl, bytes)).status, 200);
    assert.equal((await service.call('DELETE', `/v1/uploads/${parted.uploadId}`)).status, 204);
    for (const id of [whole.id, parted.id]) {
      assert.equal((await service.call('GET', `/v1/files/${id}`)).text.length, bytes.length);
      assert.equal((await service.call('DELETE', `/v1/files/${id}`)).status, 204);
    }
  },
);

testOnFull('an ingestion and a query fail with a reason, and succeed with space again', async (_, disk) => {
  const rows = 50_000;
  const file = await project.upload('many.vcf', manyRows(rows));
  const statement = 'select i, hash(i) from range(300000) t(i)';
  disk.fill(mebibyte / 4);
  assertFailed(await project.ingest(file), 'DISK');
  // The records have written of it; they need some to take the query.
  disk.free();
  disk.fill(mebibyte);
  assertFailed(await project.endOfQuery(await project.startQuery(statement, 'many.csv')), 'QUERY_DISK');
  disk.free();
  assert.equal((await project.ingest(file)).state, 'succeeded');
  assert.equal(await project.count('variant'), rows);
  assert.equal((await project.endOfQuery(await project.startQuery(statement, 'many.csv'))).rowCount, 300_000);
});

testOnFull(
  'with no space at all the records refuse changes and go on reading, and a restart changes nothing',
  async (_, disk) => {
    const make = (name: string) => service.call('POST', '/v1/projects', { body: { name } });
    const refusedOnce = async (): Promise<Reply> => {
      let reply = await make('more');
      // Space already allocated to the journal stays writable.
      for (let number = 0; reply.status === 200; number += 1) reply = await make(`more ${number}`);
      return reply;
    };
    disk.fill(0);
    assertFull(await refusedOnce());
    assert.equal((await service.call('GET', '/readyz')).status, 503);
    assert.equal((await service.call('GET', '/healthz')).status, 200);
    assert.equal((await service.call('GET', `/v1/projects/${project.id}`)).status, 200);
    disk.free();
    await until(async () => (await service.call('GET', '/readyz')).status === 200, 'it is ready by itself');
    assert.equal((await make('afterwards')).status, 200);
    assert.equal((await project.read(kept)).length, mebibyte);
    await service.kill();
    await service.restart();
    await untilSwept(service);
    await service.assertLakeWhole();
    await service.assertAuditWhole();
  },
);
