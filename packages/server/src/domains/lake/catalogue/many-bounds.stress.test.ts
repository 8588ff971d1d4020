/** Reads the catalogue of a lake of 10,000 files that are cut by genome range. The files do not exist. */
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { testOnRecords } from '../../../../../../test/support/records.ts';
import { makeLake, openEngine } from '../../../../../engine/src/engine.fixture.ts';
import { newId } from '../../../base/ids.ts';
import type { Records } from '../../../platform/records/index.ts';
import type { LakeFilesTable } from '../../../platform/records/schema-lake.ts';
import { fullAccess } from '../views/row-access.ts';
import { filesAt } from './lake-files.ts';
import { usableConditions, withoutNeedless } from './pruning.ts';

const ranges = 250;
const filesPerRange = 40;
const rangeLength = 12_000_000;
const rangesPerChromosome = 10;
/** Protein-coding and other named genes, and those that reach into the next range. */
const genesPerRange = 100;

const geneOf = (range: number, number: number): string => `GENE${range * genesPerRange + number}`;

function boundsOf(range: number): string {
  const from = 1 + (range % rangesPerChromosome) * rangeLength;
  const genes = Array.from({ length: genesPerRange + 2 }, (_, number) => geneOf(range, number));
  return JSON.stringify({
    chromosome: { among: [`chr${1 + Math.floor(range / rangesPerChromosome)}`] },
    position: { from, to: from + rangeLength - 1 },
    gene: { among: genes },
  });
}

async function fill(records: Records): Promise<void> {
  const rows = Array.from({ length: ranges * filesPerRange }, (_, number): LakeFilesTable => {
    const key = newId();
    return {
      ...{ id: newId(), project_id: 'p', table_name: 'variant', key, size: 2e8, sha256: '' },
      ...{ genome_build: 'GRCh38', source: '', ingestion_id: 'i', ordinal: number, segments: 1_000 },
      ...{ row_count: 1e7, file_rows: 1e7, ordinals: null, own_columns: null },
      ...{
        added_version: 1,
        removed_version: null,
        removed_at: null,
        bounds: boundsOf(number % ranges),
        chromosome: null,
      },
    };
  });
  for (let at = 0; at < rows.length; at += 500)
    await records.transact((tx) =>
      tx
        .insertInto('lake_files')
        .values(rows.slice(at, at + 500))
        .execute(),
    );
}

const statements: Record<string, string> = {
  'a gene': `SELECT count(DISTINCT sample_id) FROM variant WHERE gene = '${geneOf(123, 50)}'`,
  'a gene on a border': `SELECT count(DISTINCT sample_id) FROM variant WHERE gene = '${geneOf(123, 1)}' AND chromosome = 'chr13'`,
  'a region':
    "SELECT * FROM variant v JOIN sequence s ON s.id = v.sample_id WHERE v.chromosome = 'chr7' AND v.position BETWEEN 1 AND 2",
};

testOnRecords(
  'a gene or a region opens 40 of 10,000 files, and a gene on the border of two ranges 80',
  async ({ open }, context: TestContext) => {
    const lake = await makeLake();
    const engine = await openEngine(lake.folder);
    try {
      const records = await open();
      await fill(records);
      for (const [name, text] of Object.entries(statements)) {
        const { conditions } = await engine.check(text, ['variant', 'sequence']);
        const began = performance.now();
        const files = await filesAt(records.read, 'p', 1, ['variant'], true);
        const usable = usableConditions(conditions, fullAccess('masked'));
        assert.ok(usable, name);
        const kept = await withoutNeedless(files, usable, ({ table }) => table);
        context.diagnostic(`${name}: ${kept.length} files, ${Math.round(performance.now() - began)} ms`);
        assert.equal(files.length, ranges * filesPerRange);
        // A gene on a border is in the files of two ranges.
        const ranged = name === 'a gene on a border' ? 2 : 1;
        assert.equal(kept.length, ranged * filesPerRange, name);
      }
    } finally {
      await engine.close();
      await lake.remove();
    }
  },
);
