/** Compares regions of CRAM files over htsget with samtools on the local file. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openTestApp, type TestApp } from '../../../../../../test/support/app.ts';
import { addReads, fetchTicket, htslibSkip, run } from '../../../../../../test/support/genomics.ts';
import { generator } from '../../../../../../test/support/mutations.ts';
import { sharedData, sharedDataSkip } from '../../../../../../test/support/shared-data.ts';

const regionsOfEach = 60;
const withoutReference = ['no_ref=1'];
const variants: [source: string, name: string, options: string[]][] = [
  ['volvox-sorted.bam', 'reference', ['seqs_per_slice=300', 'slices_per_container=3']],
  ['volvox-sorted.bam', 'embedded', ['embed_ref=1', 'seqs_per_slice=200']],
  ['htsnexus_test_NA12878.bam', 'small slices', [...withoutReference, 'seqs_per_slice=250']],
  ['htsnexus_test_NA12878.bam', 'archive', [...withoutReference, 'archive', 'use_arith=1', 'use_lzma=1']],
  ['mpileup.1.bam', 'mixed slices', [...withoutReference, 'multi_seq_per_slice=1', 'seqs_per_slice=20']],
  ['HG00096.low_coverage.bam', 'read groups', [...withoutReference, 'use_bzip2=1']],
];

describe('CRAM over htsget', { skip: sharedDataSkip || htslibSkip }, () => {
  let app: TestApp;
  let folder: string;
  let project: string;
  let reference: string;

  before(async () => {
    app = await openTestApp();
    folder = mkdtempSync(join(tmpdir(), 'ploidy-cram-'));
    project = (await app.call('POST', '/v1/projects', { body: { name: 'CRAM' } })).body.id;
    reference = join(folder, 'reference.fa');
    writeFileSync(reference, readFileSync(sharedData('fasta/volvox.fa')));
    await run('samtools', ['faidx', reference]);
  });
  after(async () => {
    await app?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const view = (...words: string[]) => run('samtools', ['view', '--no-PG', '-T', reference, ...words]);

  for (const version of ['3.0', '3.1']) {
    for (const [source, name, options] of variants) {
      test(`${source}, ${version}, ${name}: counts, whole file and ${regionsOfEach} regions equal those of samtools`, async () => {
        const path = join(folder, `${version}-${name.replace(' ', '-')}-${source}.cram`);
        const words = [`version=${version}`, ...options].flatMap((one) => ['--output-fmt-option', one]);
        await view('-C', ...words, '-o', path, sharedData(`bam/${source}`));
        await run('samtools', ['index', path]);
        const bytes = readFileSync(path);
        const id = await addReads(app, project, path.slice(folder.length + 1), bytes);
        const ticketPath = `/${app.account}/v1/htsget/reads/${id}`;
        const fetched = join(folder, 'fetched.cram');
        const fetch = async (query: string): Promise<void> => {
          const { body } = await app.call('GET', `${ticketPath}?format=CRAM&${query}`);
          writeFileSync(fetched, await fetchTicket(body));
        };
        await fetch('');
        assert.ok(readFileSync(fetched).equals(bytes));
        await fetch('referenceName=*');
        assert.ok((await view('-f', '4', fetched, '-e', 'rname=="*"')).equals(await view(path, '*')));
        const { body: set } = await app.call('GET', `/${app.account}/v1/readgroupsets/${id}`);
        const count = async (...filter: string[]) => Number(await view('-c', ...filter, path));
        assert.deepEqual([set.stats.alignedReadCount, set.stats.unalignedReadCount].map(Number), [
          await count('-F', '4'),
          await count('-f', '4'),
        ]);
        await assertRegions(path, fetched, fetch);
      });
    }
  }

  async function assertRegions(
    path: string,
    fetched: string,
    fetch: (query: string) => Promise<void>,
  ): Promise<void> {
    const places = (await view('-F', '4', path))
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('\t'));
    const random = generator(20260707);
    for (let count = 0; count < regionsOfEach; count += 1) {
      const [, , sequence = '', position = ''] = places[random(places.length)] ?? [];
      const start = Math.max(0, Number(position) - random(2000));
      const end = start + 1 + Math.floor(10 ** (random(50) / 10));
      await fetch(
        new URLSearchParams({ referenceName: sequence, start: `${start}`, end: `${end}` }).toString(),
      );
      await run('samtools', ['index', fetched]);
      const region = `{${sequence}}:${start + 1}-${end}`;
      assert.ok((await view(fetched, region)).equals(await view(path, region)), region);
    }
  }
});
