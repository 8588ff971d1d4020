import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { storedTable } from '@ploidy/formats';
import { bgzf } from '../../../../test/support/bam.ts';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import { readBeginning } from './beginning.ts';
import { convertFile, vcf } from './conversion.fixture.ts';
import { copyRecords } from './copy.ts';

test('a source that cannot be opened leaves no open file and no timer behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-copy-'));
  try {
    const sourcePath = join(folder, 'source.vcf.gz');
    await writeFile(sourcePath, bgzf(Buffer.from(vcf(['1 100 . A G . . .']))));
    const beginning = await readBeginning(sourcePath);
    const sql = await keptSql(256 << 20);
    await unlink(sourcePath);
    const before = process.getActiveResourcesInfo();
    const task = {
      type: 'vcf',
      sourcePath,
      sourceSize: 1,
      sourceName: 'source.vcf.gz',
      outputFolder: folder,
      setId: 'set',
      options: {},
    } as const;
    const settings = {
      columns: storedTable('variant').columns,
      callColumns: storedTable('variant_call').columns,
      setId: 'set',
      sampleCount: 0,
      sampleIds: [],
      declared: beginning.header.info,
      seen: [],
      layouts: [],
      passOnly: false,
    };
    const copied = copyRecords({
      task,
      sql,
      report: { progress: () => undefined, warn: () => undefined, account: () => undefined },
      beginning,
      settings,
      onStructural: () => undefined,
      otherRows: () => 0,
      path: join(folder, 'variant.parquet'),
      callsPath: join(folder, 'variant_call.parquet'),
      plan: { stretchBytes: 1 << 20, threadCount: 2 },
    });
    await assert.rejects(copied, { code: 'ENOENT' });
    const timers = (resources: string[]) => resources.filter((one) => one === 'Timeout').length;
    assert.equal(timers(process.getActiveResourcesInfo()), timers(before));
    assert.deepEqual(openFilesIn(folder), []);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** Lists the files of a folder that this process has open. Linux only: empty elsewhere. */
function openFilesIn(folder: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      // The descriptor of this listing is closed by now.
      return [];
    }
  });
}

test('a small file of many chromosomes has one row group, sorted, of a few kilobytes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-copy-'));
  try {
    const records = Array.from(
      { length: 60 },
      (_, at) =>
        `chr${1 + Math.floor((at * 22) / 60)} ${1000 + at * 50} . A G 50 PASS DP=${at} GT:AD:DP:GQ 0/1:9,8:17:99`,
    );
    const sourcePath = join(folder, 'small.vcf');
    await writeFile(sourcePath, vcf(records, { samples: ['NA1'] }));
    const { variants, tables } = await convertFile(sourcePath);
    const chromosomes = variants.map(({ chromosome }) => String(chromosome));
    assert.equal(chromosomes.length, 60);
    assert.deepEqual(chromosomes, chromosomes.toSorted());
    const size = tables
      .filter(({ table }) => ['variant', 'variant_call'].includes(table))
      .reduce((sum, { digest }) => sum + (digest?.size ?? 0), 0);
    assert.ok(size > 0 && size < 12_000, `${size} bytes`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
