import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Manifest, type ProjectOptions, sampleProject, writeProject } from './generator/project.ts';
import { vcfLines } from './generator/vcf.ts';

const checkedIn = join(import.meta.dirname, 'data');
let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ploidy-samples-'));
});
after(() => rm(folder, { recursive: true }));

const readManifest = async (from: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(from, 'manifest.json'), 'utf8'));

/** Deflate may pack differently on another processor; what is packed may not differ. */
const unpacked = (path: string, bytes: Buffer): Buffer =>
  /\.(?:gz|bam)$/.test(path) ? gunzipSync(bytes) : bytes;

const bytesOf = async (from: string, manifest: Manifest): Promise<Map<string, Buffer>> =>
  new Map(
    await Promise.all(
      manifest.files.map(async ({ path }) => [path, await readFile(join(from, path))] as [string, Buffer]),
    ),
  );

const command = (...parameters: string[]) =>
  spawnSync(process.execPath, [join(import.meta.dirname, 'generate.ts'), ...parameters], {
    encoding: 'utf8',
  });

test('generating again produces the checked-in files', async () => {
  const again = join(folder, 'again');
  const run = command('--out', again);
  assert.equal(run.status, 0, run.stderr);
  const [was, is] = await Promise.all([readManifest(checkedIn), readManifest(again)]);
  assert.deepEqual(is.options, was.options);
  assert.deepEqual(
    is.files.map(({ path, kind, count, rows }) => [path, kind, count, rows]),
    was.files.map(({ path, kind, count, rows }) => [path, kind, count, rows]),
  );
  const made = await bytesOf(again, is);
  for (const [path, bytes] of await bytesOf(checkedIn, was)) {
    const other = made.get(path);
    assert.ok(other !== undefined && unpacked(path, bytes).equals(unpacked(path, other)), path);
  }
});

test('one seed produces equal bytes, packed or not, and another seed others', async () => {
  const options: ProjectOptions = { patients: 3, variants: 60, seed: 5, samplesPerVcf: 2, gzip: true };
  const one = await writeProject(join(folder, 'one'), options);
  const two = await writeProject(join(folder, 'two'), options);
  const three = await writeProject(join(folder, 'three'), { ...options, seed: 6 });
  assert.deepEqual(one, two);
  assert.ok(one.files.every(({ path }) => /\.(?:gz|bam)$/.test(path)));
  const hashes = new Set(three.files.map(({ sha256 }) => sha256));
  assert.ok(one.files.every(({ sha256 }) => !hashes.has(sha256)));
});

test('the manifest lists every checked-in file with its size and hash, under 2 MB in all', async () => {
  const { files } = await readManifest(checkedIn);
  const found = await readdir(checkedIn, { recursive: true, withFileTypes: true });
  const paths = found.filter((entry) => entry.isFile() && entry.name !== 'manifest.json');
  assert.equal(paths.length, files.length);
  for (const { path, bytes, sha256 } of files) {
    const content = await readFile(join(checkedIn, path));
    assert.equal(content.length, bytes, path);
    assert.equal(createHash('sha256').update(content).digest('hex'), sha256, path);
  }
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  assert.ok(total < 2_000_000, `${total} bytes`);
});

test('the number of patients, variants and samples in a file are as asked for', async () => {
  for (const samplesPerVcf of [1, 3, 7]) {
    const options = { ...sampleProject, patients: 7, variants: 700, samplesPerVcf };
    const { files } = await writeProject(join(folder, `by-${samplesPerVcf}`), options);
    const vcfs = files.filter(({ kind }) => kind === 'vcf');
    assert.equal(vcfs.length, Math.ceil(7 / samplesPerVcf));
    assert.equal(
      vcfs.reduce((sum, { count }) => sum + count, 0),
      700,
    );
    assert.equal(files.find(({ path }) => path === 'fhir/Patient.ndjson')?.count, 6);
  }
});

test('one patient without variants is a project', async () => {
  const { files } = await writeProject(join(folder, 'least'), { ...sampleProject, patients: 1, variants: 0 });
  const bundle = files.find(({ path }) => path === 'fhir/syn-0001.bundle.json');
  assert.ok(bundle !== undefined && bundle.count > 40);
});

test('a VCF of millions of records is made line by line', () => {
  const sample = { name: 'S', isMale: true, known: new Map<string, string>() };
  const tally = { records: 0, rows: 0 };
  const lines = vcfLines({ seed: 1, samples: [sample], records: 5_000_000, carrierRate: 1 }, tally);
  for (let count = 0; count < 101; count += 1) assert.equal(lines.next().done, false);
  assert.equal(tally.records, 100);
});

test('more variants than the genes have room for are refused', () => {
  const sample = { name: 'S', isMale: true, known: new Map<string, string>() };
  const plan = { seed: 1, samples: [sample], records: 900_000_000, carrierRate: 1 };
  const lines = vcfLines(plan, { records: 0, rows: 0 });
  lines.next();
  assert.throws(() => lines.next(), /can hold \d+ variants at most/);
});

test('the command never writes over the checked-in project with other options, nor into a foreign folder', async () => {
  assert.match(command('--patients', '3').stderr, /Name a folder with --out/);
  const foreign = join(folder, 'foreign');
  await writeProject(foreign, { ...sampleProject, patients: 1, variants: 0 });
  const refused = (): void => {
    const run = command('--patients', '3', '--out', foreign);
    assert.equal(run.status, 2);
    assert.match(run.stderr, /holds no sample project/);
  };
  await rm(join(foreign, 'manifest.json'));
  refused();
  await writeFile(join(foreign, 'manifest.json'), '{"name":"an app","files":["a.txt"]}');
  refused();
});

test('the command removes what an earlier run made, and nothing else', async () => {
  const out = join(folder, 'again-smaller');
  await writeProject(out, { ...sampleProject, patients: 4, variants: 40 });
  await writeFile(join(out, 'notes.txt'), 'mine');
  assert.equal(command('--patients', '2', '--variants', '20', '--out', out).status, 0);
  assert.deepEqual((await readdir(join(out, 'vcf'))).sort(), ['SYN0001.vcf', 'SYN0002.vcf']);
  assert.equal(await readFile(join(out, 'notes.txt'), 'utf8'), 'mine');
});

test('the command refuses numbers that are none', () => {
  for (const text of ['0', '-3', 'many', '1e3', '1.5']) {
    const run = command(`--patients=${text}`, '--out', join(folder, 'never'));
    assert.equal(run.status, 2, text);
    assert.match(run.stderr, /whole number from 1/);
  }
});
