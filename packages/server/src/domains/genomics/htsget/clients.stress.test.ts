/** Compares samtools and bcftools over HTTP with their results on the local file. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { openTestApp, type TestApp } from '../../../../../../test/support/app.ts';
import {
  addReads,
  bgzipped,
  fetchTicket,
  htslibSkip,
  placedReads,
  run,
} from '../../../../../../test/support/genomics.ts';
import { sharedData, sharedDataSkip } from '../../../../../../test/support/shared-data.ts';

const files = [
  'htsnexus_test_NA12878.bam',
  'volvox-sorted.bam',
  'mpileup.1.bam',
  'HG00096.low_coverage.bam',
  'bgzf_boundaries1.bam',
  'bgzf_boundaries2.bam',
  'htslib_colons.bam',
  'htslib_no_hdr_sq_1.bam',
];
const regionsOfEach = 60;
const variantRegionsOfEach = 10;
/** Generates deterministic pseudo-random numbers. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state / 2 ** 32;
  }
}

describe('htslib as a client', { skip: sharedDataSkip || htslibSkip }, () => {
  let app: TestApp;
  let folder: string;
  let project: string;
  let environment: Record<string, string>;

  before(async () => {
    app = await openTestApp();
    folder = mkdtempSync(join(tmpdir(), 'ploidy-htslib-'));
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Real' } })).body.id;
    const key = join(folder, 'key');
    writeFileSync(key, app.key);
    environment = {
      HTS_AUTH_LOCATION: key,
      HTS_ALLOW_UNENCRYPTED_AUTHORIZATION_HEADER: 'I understand the risks',
    };
  });
  after(async () => {
    await app?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const address = (kind: string, id: string) => `${app.address}/${app.account}/v1/htsget/${kind}/${id}`;
  const samtools = (...words: string[]) => run('samtools', words, environment);

  for (const name of files) {
    for (const isReblocked of [false, true]) {
      test(`${name}${isReblocked ? ', its records across blocks' : ''}: reads equal those of the file`, async () => {
        const original = sharedData(`bam/${name}`);
        const bytes = isReblocked ? bgzipped(gunzipSync(readFileSync(original))) : readFileSync(original);
        const path = join(folder, `${isReblocked ? 'reblocked-' : ''}${name}`);
        writeFileSync(path, bytes);
        const id = await addReads(app, project, basename(path), bytes);
        await assertLikeFile(path, address('reads', id));
        await assertRegions(bytes, id);
      });
    }
  }

  /** Compares with samtools: everything, the header, unplaced reads, a region. */
  async function assertLikeFile(path: string, url: string): Promise<void> {
    const same = async (of: string[], by: string[]) =>
      assert.ok(
        (await samtools('view', '--no-PG', ...of)).equals(await run('samtools', ['view', '--no-PG', ...by])),
      );
    await run('samtools', ['index', path]);
    await same(['-h', url], ['-h', path]);
    await same(['-H', `${url}?class=header`], ['-H', path]);
    await same([`${url}?referenceName=*`], [path, '*']);
    const sequence = /\tSN:([^\t\n]+)/.exec((await samtools('view', '-H', url)).toString())?.[1];
    if (sequence === undefined) return;
    const fetched = join(folder, 'fetched.bam');
    await samtools(
      'view',
      '-b',
      '-o',
      fetched,
      `${url}?referenceName=${encodeURIComponent(sequence)}&start=100&end=20000`,
    );
    await run('samtools', ['quickcheck', fetched]);
    await run('samtools', ['index', fetched]);
    await same([fetched, `{${sequence}}:101-20000`], [path, `{${sequence}}:101-20000`]);
  }

  /**
   * Compares random regions with the whole file, with our own reader: sixty processes per file would take
   * minutes.
   */
  async function assertRegions(bytes: Buffer, id: string): Promise<void> {
    const all = placedReads(bytes);
    const random = numbers(bytes.length);
    const next = (below: number) => Math.floor((random.next().value ?? 0) * below);
    for (let count = 0; count < regionsOfEach && all.sequences.length > 0; count += 1) {
      const near = all.reads[next(all.reads.length)];
      const number =
        near && near.reference >= 0 && count % 4 > 0 ? near.reference : next(all.sequences.length);
      const { name = '', length = 0 } = all.sequences[number] ?? {};
      const start = count % 4 > 0 ? Math.max(0, (near?.start ?? 0) - next(2000)) : next(length);
      const end = start + 1 + Math.floor(10 ** (next(60) / 10));
      const query = new URLSearchParams({ referenceName: name, start: `${start}`, end: `${end}` });
      const { body } = await app.call('GET', `/${app.account}/v1/htsget/reads/${id}?${query}`);
      const got = placedReads(await fetchTicket(body)).reads;
      const within = (one: (typeof got)[number]) =>
        one.reference === number && one.start < end && one.end > start;
      assert.deepEqual(
        got.filter(within).map(({ bytes }) => bytes),
        all.reads.filter(within).map(({ bytes }) => bytes),
      );
    }
  }

  const real = ['HG002_GIAB.filtered.vcf.gz', 'cyvcf2_test.vcf.gz', 'bcftools_split-vep.vcf'];
  /** Forms in which the records of a file are stored: in the blocks of bgzip, plain, and gzip without blocks. */
  const forms: [ending: string, bytes: (plain: Buffer) => Buffer][] = [
    ['bcf', (content) => bgzipped(content)],
    ['vcf', (content) => content],
    ['vcf.gz', (content) => gzipSync(content)],
    ['raw.bcf', (content) => content],
    ['gz.bcf', (content) => gzipSync(content)],
  ];

  for (const [ending, stored] of forms) {
    test(`bcftools gets the same records of real files as .${ending}, whole and by region`, async () => {
      const type = ending.endsWith('bcf') ? '-Ou' : '-Ov';
      for (const name of real) {
        const stem = join(folder, `${basename(name, '.gz')}.${ending}`);
        const sorted = await run('bcftools', ['sort', type, sharedData(`vcf/${name}`)]);
        const id = await app.put(project, basename(stem), stored(sorted));
        const path = `${stem}.local`;
        await run('bcftools', [
          'sort',
          ending.endsWith('bcf') ? '-Ob' : '-Oz',
          '-o',
          path,
          sharedData(`vcf/${name}`),
        ]);
        await run('bcftools', ['index', '-f', path]);
        await assertSame(path, id);
      }
    });
  }

  /** Compares a file, whole and in random regions, with what bcftools reads from the local one. */
  async function assertSame(path: string, id: string): Promise<void> {
    const view = (of: string, ...words: string[]) =>
      run('bcftools', ['view', '--no-version', ...words, of], environment);
    assert.ok((await view(address('variants', id))).equals(await view(path)));
    const places = (await view(path, '-H'))
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
    const random = numbers(places.length);
    const next = (below: number) => Math.floor((random.next().value ?? 0) * below);
    const fetched = join(folder, 'fetched.variants');
    for (let count = 0; count < variantRegionsOfEach; count += 1) {
      const [sequence = '', position = ''] = places[next(places.length)] ?? [];
      const start = Math.max(0, Number(position) - next(2000));
      const end = start + 1 + Math.floor(10 ** (next(60) / 10));
      const query = new URLSearchParams({ referenceName: sequence, start: `${start}`, end: `${end}` });
      const { body } = await app.call('GET', `/${app.account}/v1/htsget/variants/${id}?${query}`);
      writeFileSync(fetched, await fetchTicket(body));
      await run('bcftools', ['index', '-f', fetched]);
      const region = `${sequence}:${start + 1}-${end}`;
      assert.ok(
        (await view(fetched, '-H', '-r', region)).equals(await view(path, '-H', '-r', region)),
        region,
      );
    }
  }

  test('bcftools gets the same variants by region, whole file and header as from the local file', async () => {
    for (const name of real) {
      const path = join(folder, `${basename(name, '.gz')}.gz`);
      await run('bcftools', ['sort', '-Oz', '-o', path, sharedData(`vcf/${name}`)]);
      await run('tabix', ['-p', 'vcf', path]);
      const url = address('variants', await app.put(project, basename(path), readFileSync(path)));
      const view = (of: string, ...words: string[]) =>
        run('bcftools', ['view', '--no-version', ...words, of], environment);
      assert.ok((await view(url)).equals(await view(path)));
      assert.ok((await view(`${url}?class=header`, '-h')).equals(await view(path, '-h')));
      const [, sequence = '', position = ''] =
        /^([^#\t]+)\t(\d+)\t/m.exec((await view(path)).toString()) ?? [];
      const [start, end] = [Number(position), Number(position) + 200_000];
      const fetched = join(folder, 'fetched.vcf.gz');
      await view(`${url}?referenceName=${sequence}&start=${start}&end=${end}`, '-Oz', '-o', fetched);
      await run('tabix', ['-f', '-p', 'vcf', fetched]);
      const region = `${sequence}:${start + 1}-${end}`;
      assert.ok((await run('tabix', [fetched, region])).equals(await run('tabix', [path, region])), name);
    }
  });
});
