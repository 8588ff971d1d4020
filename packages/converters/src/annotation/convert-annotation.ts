import { join } from 'node:path';
import type { ConversionTask, Convert, ConvertedTable, Reporter, Sql } from '@ploidy/engine';
import {
  annotationSource,
  annotationValue,
  type GenomeBuild,
  type Release,
  type SourceKind,
  writeRelease,
} from '@ploidy/formats';
import { requireEnd } from '../decompressed-source.ts';
import { TableFile } from '../tables/table-file.ts';
import { convertAlleles } from '../vcf/convert-annotation.ts';
import { changesOf } from './changes.ts';
import { convertListed, convertTable } from './convert-source.ts';
import { openSource } from './open-source.ts';

/** Tables of a source with its kind and release. */
interface ReadSource {
  kind: SourceKind;
  release: Release;
  tables: ConvertedTable[];
}

/**
 * Converts a file of an annotation source: alleles that fill columns of `variant`, or values by allele, region or gene. Adds its
 * release, and the differences from the release before.
 */
export const convertAnnotation: Convert = async (task, sql, report) => {
  await requireEnd(task, report);
  const source = await readSourceFile(task, sql, report);
  const { kind, release } = source;
  if (release.version === undefined && kind.source !== undefined)
    report.warn({
      message: `The version of ${kind.source} is not known: the file stays beside earlier ones. Name it in annotation.version to replace them.`,
    });
  const build = source.tables.find(({ genomeBuild }) => genomeBuild !== undefined)?.genomeBuild;
  const tables = [...source.tables, await describe(task, sql, source, build)];
  const changes = await changesOf({ task, sql, source });
  const all = changes ? [...tables, changes] : tables;
  return all.map((table) => ({
    ...table,
    source: writeRelease(release),
    ...(build && { genomeBuild: build }),
  }));
};

async function readSourceFile(task: ConversionTask, sql: Sql, report: Reporter): Promise<ReadSource> {
  const opened = await openSource(task.sourcePath, task.sourceName, task.options.annotation);
  if ('layout' in opened) {
    const { layout, release } = opened;
    return { kind: layout.kind, release, tables: await convertTable(layout, release, task, sql, report) };
  }
  const { kind, beginning, release } = opened;
  const { listed } = kind;
  const tables = listed
    ? await convertListed({ beginning, listed, release }, task, sql, report)
    : await convertAlleles(beginning, task, sql, report);
  return { kind, release, tables };
}

/** Writes the row of `annotation_source`. */
async function describe(
  { outputFolder, setId }: ConversionTask,
  sql: Sql,
  { kind, release, tables }: ReadSource,
  build: GenomeBuild | undefined,
): Promise<ConvertedTable> {
  const path = join(outputFolder, `${annotationSource.name}.parquet`);
  const file = new TableFile(path, annotationSource);
  const values = tables.filter(({ table }) => table === annotationValue.name);
  const rows = (values.length > 0 ? values : tables).reduce((sum, one) => sum + one.rows, 0);
  try {
    file.add({
      ...{ source_id: setId, source: release.source, kind: kind.name, version: release.version },
      ...{ released: release.released, genome_build: build, matched_by: kind.matchedBy, row_count: rows },
    });
    await file.end(sql);
  } finally {
    file.close();
  }
  return { table: annotationSource.name, path, rows: 1 };
}
