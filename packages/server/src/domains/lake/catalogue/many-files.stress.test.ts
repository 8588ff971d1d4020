import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../../test/inputs/texts.ts';
import { describeOnSqlite } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';

/** Merges of 50 files and more once ran out of memory. */
const count = 64;

// One store suffices: the memory is the engine's.
describeOnSqlite(
  'a project of many small files',
  (app) => {
    test('a project of many small files is merged within the memory of one ingestion, and keeps its rows', async () => {
      const project = await TestProject.make(app.call, 'Many files');
      for (let at = 0; at < count; at += 8)
        await Promise.all(
          Array.from({ length: 8 }, async (_, more) => {
            const name = `s${at + more}`;
            await project.take(`${name}.vcf`, vcfText(name, 20));
            await project.take(`${name}.ndjson`, fhirText(name, 2, 2));
          }),
        );
      await until(async () => {
        const lake = app.people.records.read.selectFrom('lakes').selectAll();
        const { version, compacted_version } = await lake.executeTakeFirstOrThrow();
        return version === compacted_version;
      }, 'the project is merged');
      const segments = app.people.records.read.selectFrom('segments').where('removed_version', 'is', null);
      const files = await segments.select(['table_name', 'blob_key']).distinct().execute();
      const tables = files.map(({ table_name }) => table_name);
      assert.deepEqual(tables.toSorted(), [...new Set(tables)].sort(), 'one file per table');
      const [variants, patients] = await Promise.all(
        ['variant', 'demographic'].map((table) => project.count(table)),
      );
      assert.deepEqual([variants, patients], [count * 20, count * 2]);
      assert.equal((await project.ask('select sample_id from variant group by 1')).length, count);
    });
  },
  { PLOIDY_COMPACTION_FILES: String(count) },
);
