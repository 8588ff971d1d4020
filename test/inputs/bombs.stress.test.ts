import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openTestApp, type TestApp } from '../support/app.ts';
import { TestProject } from './project.ts';
import { fhirText, vcfHeader, vcfRecord } from './texts.ts';

/** A gigabyte of one letter in a megabyte of gzip: sixteen members of it (RFC 1952 §2.2). */
const gigabyte = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(64 * 2 ** 20, 'a'))));
const inside = (before: string, behind: string): Buffer =>
  Buffer.concat([gzipSync(before), gigabyte, gzipSync(behind)]);

let app: TestApp;
let project: TestProject;

before(async () => {
  // Less memory than any of the texts has.
  app = await openTestApp({ PLOIDY_INGESTION_MEMORY: '128MiB' });
  project = await TestProject.make(app.call, 'Bombs');
});
after(() => app.stop());

async function ingest(name: string, bytes: Uint8Array, options: object = {}) {
  return project.ingest(await project.upload(name, bytes), options);
}

// asvs: 5.2.3
test('a line of a gigabyte ends a FHIR ingestion with its line, in little memory', async () => {
  const bomb = inside(
    `${fhirText('a', 2)}{"resourceType":"Patient","id":"x","language":"`,
    `"}\n${fhirText('b', 2)}`,
  );
  const end = await ingest('bomb.ndjson.gz', bomb);
  assert.equal(end.state, 'failed');
  assert.deepEqual([end.error?.code, end.error?.line], ['INPUT', 3]);
  assert.match(end.error?.message ?? '', /larger than 64 MiB/);
  assert.equal(await project.count('patient'), 0);
});

test('an oversized record is skipped with broken lines, and later records are read', async () => {
  const bomb = inside(
    `${fhirText('a', 2)}{"resourceType":"Patient","id":"x","language":"`,
    `"}\n${fhirText('b', 2)}`,
  );
  const end = await ingest('skipped.ndjson.gz', bomb, { onError: 'skip' });
  assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
  assert.deepEqual([end.warningCount, end.warnings[0]?.line], [1, 3]);
  assert.equal(await project.count('patient'), 4);
});

test('an entry of a gigabyte in a Bundle is refused', async () => {
  const start =
    '{"resourceType":"Bundle","type":"collection","entry":[{"resource":{"resourceType":"Patient","id":"';
  const end = await ingest('bomb.json.gz', inside(start, '"}}]}'));
  assert.equal(end.state, 'failed');
  assert.match(end.error?.message ?? '', /larger than 64 MiB/);
});

test('a record of a gigabyte ends a VCF ingestion with its line', async () => {
  const start = `${vcfHeader('s')}${vcfRecord(5)}1\t100\t.\tA\tG\t50\tPASS\tX=`;
  const end = await ingest('bomb.vcf.gz', inside(start, `\tGT\t0/1\n${vcfRecord(200)}`));
  assert.equal(end.state, 'failed', JSON.stringify(end));
  assert.deepEqual([end.error?.code, end.error?.line], ['INPUT', 6]);
  assert.equal(await project.count('variant'), 0);
});

test('a last record that is far too long is never left out without a word', async () => {
  const start = `${vcfHeader('s')}${vcfRecord(5)}1\t100\t.\tA\tG\t50\tPASS\tX=`;
  const compressed = await ingest('last.vcf.gz', inside(start, ''));
  assert.deepEqual([compressed.state, compressed.error?.line], ['failed', 6]);
  const plain = await ingest('last.vcf', Buffer.from(`${start}${'a'.repeat(70 * 2 ** 20)}\tGT\t0/1\n`));
  assert.deepEqual([plain.state, plain.error?.line], ['failed', 6]);
  assert.equal(await project.count('variant'), 0);
});

test('a header without end is refused, and the service works on', async () => {
  const end = await ingest('header.vcf.gz', inside('##fileformat=VCFv4.3\n##x=', '\n'));
  assert.equal(end.state, 'failed');
  assert.equal(end.error?.code, 'INPUT');
  assert.equal((await app.call('GET', '/readyz')).status, 200);
  await project.take('good.ndjson', fhirText('good', 1));
});
