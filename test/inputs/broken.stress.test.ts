/**
 * Broken files, from upload to rows. A refusal costs a process. `broken-input.stress.test.ts` of each converter tries each kind
 * of breakage, here one or two of each kind.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { openTestApp, type TestApp } from '../support/app.ts';
import { TestProject, type Work } from './project.ts';
import { fhirText, omicTexts, vcfHeader, vcfRecord, vcfText } from './texts.ts';

let app: TestApp;
let project: TestProject;
let number = 0;

before(async () => {
  app = await openTestApp();
  project = await TestProject.make(app.call, 'Broken');
  await project.take('good.ndjson', fhirText('good', 5, 2));
  await project.take('good.vcf', vcfText('good', 7));
});
after(() => app.stop());
beforeEach(() => {
  number += 1;
});
// Once for all that a test tries: rows that a refusal left would stay to its end.
afterEach(async () => assert.deepEqual(await rows(), baseRows, 'the rows are unchanged'));

/** `table,rows` of the project. */
const rows = () =>
  project.ask(`
    select 'patient' as name, count(*) from patient union all
    select 'observation', count(*) from observation union all
    select 'sequence', count(*) from sequence union all
    select 'variant', count(*) from variant order by name`);
const baseRows = ['observation,10', 'patient,5', 'sequence,1', 'variant,7'];

/** Ingests what is broken: nothing of it is seen, the file stays, and the service works on. */
async function refused(
  name: string,
  bytes: string | Uint8Array,
  options: object = {},
): Promise<Work['error']> {
  const fileId = await project.upload(`${number}/${name}`, bytes);
  const end = await project.ingest(fileId, options);
  assert.equal(end.state, 'failed', JSON.stringify(end));
  assert.equal(end.error?.code, 'INPUT', JSON.stringify(end.error));
  assert.equal((await app.call('GET', `/v1/files/${fileId}?include=metadata`)).status, 200, 'the file stays');
  assert.equal((await app.call('GET', '/readyz')).status, 200);
  return end.error;
}

/** Deletes files and with them their rows. */
async function withdraw(...fileIds: string[]): Promise<void> {
  for (const id of fileIds) assert.equal((await app.call('DELETE', `/v1/files/${id}`)).status, 204);
}

function random(bytes: number): Buffer {
  return Buffer.from(
    Uint8Array.from({ length: bytes }, (_, index) => (Math.imul(index, 2654435761) >>> 13) & 255),
  );
}

const badVcf = `${vcfHeader('s')}${vcfRecord(5)}${vcfRecord(6).replace('6', 'six')}${vcfRecord(7)}`;
const badNdjson = `${fhirText('a', 3)}{"resourceType":"Patient",, }\n${fhirText('b', 2)}`;

test('a gzip that was cut off is called so, wherever it was cut', async () => {
  const fhir = gzipSync(fhirText('a', 3000, 2));
  const vcf = gzipSync(vcfText('s', 20_000));
  for (const [name, bytes] of [
    ['cut.ndjson.gz', fhir.subarray(0, fhir.length / 2)],
    ['cut.vcf.gz', vcf.subarray(0, vcf.length / 2)],
    ['only-its-beginning.vcf.gz', vcf.subarray(0, 15)],
  ] as const) {
    const error = await refused(name, bytes);
    assert.match(error?.message ?? '', /ends too early/, name);
  }
});

test('a gzip that is damaged in the middle is refused', async () => {
  const whole = gzipSync(vcfText('s', 20_000));
  const middle = whole.length >> 1;
  await refused(
    'bad.vcf.gz',
    Buffer.concat([whole.subarray(0, middle), random(64), whole.subarray(middle + 64)]),
  );
});

// asvs: 5.2.2
test('binary rubbish is refused, also when a type is claimed', async () => {
  assert.match(
    (await refused('rubbish', random(100_000)))?.message ?? '',
    /not VCF, BCF, BAM, CRAM, FASTA, GFF3, FHIR/,
  );
  assert.match((await refused('rubbish', random(100_000), { type: 'maf' }))?.message ?? '', /^This is not a/);
});

test('unsupported output of a known program is refused with what to upload', async () => {
  const bins = 'chromosome\tstart\tend\tgene\tlog2\tdepth\nchr1\t0\t9\tA\t7.6\t200\n';
  assert.match((await refused('S8.targetcoverage.cnn', bins))?.message ?? '', /upload the segments/);
});

test('a broken line in the middle of a VCF ends it with the line, or is skipped and listed', async () => {
  const error = await refused('bad.vcf', badVcf);
  assert.equal(error?.line, 6);
  assert.match(error?.message ?? '', /Line 6 .*POS/);
  const fileId = await project.upload('bad.vcf', badVcf);
  const end = await project.ingest(fileId, { onError: 'skip' });
  assert.equal(end.state, 'succeeded');
  assert.deepEqual([end.warningCount, end.warnings[0]?.line], [1, 6]);
  assert.equal(await project.count('variant'), 7 + 2);
  await withdraw(fileId);
});

test('a bad line of NDJSON ends it with line and column, or is left out and listed when asked for', async () => {
  const error = await refused('bad.ndjson', badNdjson);
  assert.deepEqual([error?.line, error?.column], [4, 27]);
  const fileId = await project.upload('bad.ndjson', badNdjson);
  const end = await project.ingest(fileId, { onError: 'skip' });
  assert.equal(end.state, 'succeeded');
  assert.deepEqual([end.warningCount, end.warnings[0]?.line], [1, 4]);
  assert.equal(await project.count('patient'), 5 + 5);
  await withdraw(fileId);
});

test('a broken line of every table ends it with the line, or is left out and listed when asked for', async () => {
  for (const [name, text] of Object.entries(omicTexts)) {
    const whole = text('broken').trimEnd().split('\n');
    const bad = [...whole, whole.at(-1)?.replace(/[\t,].*/, '')].join('\n');
    const error = await refused(`bad.${name}`, bad);
    assert.equal(error?.line, whole.length + 1, name);
    assert.match(error?.message ?? '', /^Line \d+ is not a valid record \(.*\): it has 1 columns/);
    const fileId = await project.upload(`bad.${name}`, bad);
    const end = await project.ingest(fileId, { onError: 'skip' });
    assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
    assert.deepEqual([end.warningCount, end.warnings[0]?.line], [1, whole.length + 1]);
    await withdraw(fileId);
  }
});

test('an empty file is refused as empty, compressed or not, under any declared type', async () => {
  assert.match((await refused('empty', Buffer.alloc(0)))?.message ?? '', /is empty/);
  assert.match((await refused('empty.gz', gzipSync('')))?.message ?? '', /is empty/);
  assert.match((await refused('empty', Buffer.alloc(0), { type: 'fhir' }))?.message ?? '', /is empty/);
});

test('a VCF of a header alone is good: its sample is there, without variants', async () => {
  const fileId = await project.take('header.vcf', vcfHeader('header-only'));
  assert.deepEqual(await rows(), ['observation,10', 'patient,5', 'sequence,2', 'variant,7']);
  await withdraw(fileId);
});

test('a Bundle that was cut off is refused with its last line', async () => {
  const entry = [1, 2, 3].map((id) => ({ resource: { resourceType: 'Patient', id: `b${id}` } }));
  const text = JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry }, null, 1);
  const cut = text.slice(0, text.indexOf('"b3"'));
  assert.equal((await refused('bundle.json', cut))?.line, cut.split('\n').length);
});

test('a file of another type than the one named is refused', async () => {
  assert.match((await refused('really.vcf', vcfText('s', 3), { type: 'fhir' }))?.message ?? '', /not FHIR/);
});

test('UTF-16 is called UTF-16', async () => {
  const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
  assert.match((await refused('utf16.ndjson', utf16(fhirText('a', 3))))?.message ?? '', /UTF-16/);
  assert.match((await refused('utf16.vcf', utf16(vcfText('s', 3))))?.message ?? '', /UTF-16/);
});

test('a byte order mark before UTF-8 is no fault', async () => {
  const vcf = await project.take('marked.vcf', `\ufeff${vcfText('marked', 2)}`);
  const fhir = await project.take('marked.ndjson', `\ufeff${fhirText('marked', 2)}`);
  assert.deepEqual(await rows(), ['observation,10', 'patient,7', 'sequence,2', 'variant,9']);
  await withdraw(vcf, fhir);
});

test('after all of them a good file is taken as ever', async () => {
  const last = await project.take('last.ndjson', fhirText('last', 3));
  assert.equal(await project.count('patient'), 5 + 3);
  await withdraw(last);
});
