import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { describeOnPostgres } from '../../../../../../test/support/app.ts';
import { quickJobs } from '../../../../../../test/support/jobs.ts';
import { until } from '../../../../../../test/support/until.ts';
import { openSql } from '../../../../../engine/src/engine.fixture.ts';
import { newId } from '../../../base/ids.ts';
import { diskBlobs } from '../../../platform/blobs/index.ts';
import { addIntents } from '../../../platform/blobs/intents.ts';
import { publishSegments, replaceSegments, retireSource } from './catalogue.ts';
import { queueCompactions } from './compaction.ts';
import { mergeInputs, visibleSegmentsOf } from './lake-files.ts';
import { segmentsMax } from './merge-plan.ts';

const ingestions = 2300;

describeOnPostgres('a merged file of more ingestions than one step may write', (app) => {
  test('a large merged file is rewritten part by part after a deletion, and all other rows stay', async () => {
    const { records } = app.people;
    const project = await TestProject.make(app.call, 'Large');
    const blobs = await diskBlobs({ folder: join(app.folder, 'blobs'), records: app.people.records });
    const path = await blobs.scratchPath('parquet');
    await records.transact((tx) =>
      addIntents(
        tx,
        Array.from({ length: ingestions }, (_, at) => `none-${at + 1}`),
      ),
    );
    for (let number = 1; number <= ingestions; number += 1)
      await records.transact((tx) =>
        publishSegments(tx, {
          project: project.id,
          fileId: `f${number}`,
          ingestionId: newId(),
          segments: [
            {
              table: 'cohort',
              rowCount: 1,
              blob: { key: `none-${number}`, size: 0, sha256: '' },
              genomeBuild: null,
            },
          ],
        }),
      );
    const sql = await openSql(app.folder);
    await sql.run(`COPY (SELECT 'c' AS cohort_id, 'p' || i AS patient_id, i::BIGINT AS _ordinal
      FROM range(1, ${ingestions + 1}) AS t(i) ORDER BY patient_id) TO '${path}' (FORMAT parquet)`);
    sql.close();
    const bytes = readFileSync(path);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const blob = await blobs.adopt(path, { size: bytes.length, sha256 });
    const before = await visibleSegmentsOf(
      records.read,
      project.id,
      await mergeInputs(records.read, project.id),
    );
    await records.transact(async (tx) => {
      await replaceSegments(tx, project.id, [{ segments: before, blob, rowCount: ingestions }]);
      await retireSource(tx, 'f7');
    });
    await until(async () => {
      await queueCompactions(records, quickJobs(records), { filesMin: 8, rowsMax: 1_000_000 });
      return (await mergeInputs(records.read, project.id)).every(({ staleRows }) => staleRows === 0);
    }, 'nothing is left that nobody may see');
    const files = await mergeInputs(records.read, project.id);
    assert.ok(files.every(({ segments }) => segments <= segmentsMax));
    assert.equal(files.length, Math.ceil((ingestions - 1) / segmentsMax));
    assert.deepEqual(await project.ask('select count(distinct patient_id), min(patient_id) from cohort'), [
      `${ingestions - 1},p1`,
    ]);
    assert.deepEqual(await project.ask("select * from cohort where patient_id = 'p7'"), []);
  });
});
