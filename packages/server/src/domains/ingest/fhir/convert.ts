import { join } from 'node:path';
import type { FullUrls } from '@ploidy/formats';
import type { ConversionTask, Convert, Reporter, Sql } from '../../../platform/engine/conversion.ts';
import { readSource } from '../source.ts';
import { Intake } from './intake.ts';
import { readResources } from './read-resources.ts';
import { Stage } from './stage.ts';
import { writeTables } from './write-tables.ts';

/**
 * FHIR (NDJSON, Bundle, list or single resource; plain or gzip) → clinical tables and the internal `_resource`, `_coding`
 * and `_sample_link`. The gate and the mapping run here; the engine makes typed Parquet of sorted text. docs/formats/fhir.md
 */
export const convertFhir: Convert = async (task, sql, report) => {
  const stage = await readIntoStage(task, report);
  try {
    return await withOneThread(sql, () =>
      writeTables(stage, sql, task.outputFolder, (rows) => report.progress(task.sourceSize, rows)),
    );
  } finally {
    await stage.discard();
  }
};

/**
 * One thread keeps the order of rows by itself: keeping it by `preserve_insertion_order` gathers rows in memory, and rules out
 * row groups by bytes. Without the two optimizers, sorted rows stay on the probing side of joins, and thereby sorted.
 */
async function withOneThread<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const [before] = await sql.rows("SELECT current_setting('threads') AS threads");
  await sql.run('SET threads = 1');
  await sql.run('SET preserve_insertion_order = false');
  await sql.run("SET disabled_optimizers = 'join_order,build_side_probe_side'");
  try {
    return await work();
  } finally {
    await sql.run('RESET preserve_insertion_order');
    await sql.run('RESET disabled_optimizers');
    await sql.run(`SET threads = ${Number(before?.['threads'] ?? 1)}`);
  }
}

/** Entries may be referred to before their ids are known: then the source is read once more, knowing them. */
async function readIntoStage(task: ConversionTask, report: Reporter): Promise<Stage> {
  const first = await readOnce(task, report, new Map(), 'stage');
  if (first.fullUrls.size === 0) return first.stage;
  await first.stage.discard();
  const quiet: Reporter = { progress: () => undefined, warn: () => undefined };
  return (await readOnce(task, quiet, first.fullUrls, 'stage-resolved')).stage;
}

async function readOnce(task: ConversionTask, report: Reporter, fullUrls: FullUrls, folder: string) {
  const stage = new Stage(join(task.outputFolder, folder));
  try {
    const skipBroken = task.options.onError === 'skip';
    const intake = new Intake(stage, report, { skipBroken, fullUrls });
    const source = readSource(task.sourcePath, (bytes) => report.progress(bytes, stage.rows));
    await readResources(source, intake, skipBroken, () => stage.settle());
    intake.warnOfOthers();
    return { stage, fullUrls: intake.fullUrls };
  } catch (error) {
    await stage.discard();
    throw error;
  }
}
