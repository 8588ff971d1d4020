import { join } from 'node:path';
import type { ConversionTask, ConvertedTable, Sql } from '@ploidy/engine';
import { literal } from '@ploidy/engine/task-runtime';
import {
  alleleColumns,
  annotation,
  annotationChange,
  annotationValue,
  isLater,
  type Release,
  readRelease,
  type SourceKind,
} from '@ploidy/formats';

interface Changing {
  task: ConversionTask;
  sql: Sql;
  source: { kind: SourceKind; release: Release; tables: readonly ConvertedTable[] };
}

/** Columns by which values of genes and alleles are found again. */
const keys = [...alleleColumns, 'gene', 'protein_change'];

/**
 * Writes the differences from the release before, in the values that its kind watches: a row for each allele or gene, and value.
 * Chromosomes that the file lacks are left out: releases may have a file for each. Nothing without an earlier release.
 */
export async function changesOf({ task, sql, source }: Changing): Promise<ConvertedTable | undefined> {
  const { kind, release, tables } = source;
  const before = (task.earlier ?? []).flatMap(({ table, path, source: text }) => {
    const found = readRelease(text);
    return found && isLater(release, found) ? [{ table, path, version: found.version }] : [];
  });
  if (before.length === 0 || kind.watched.length === 0) return undefined;
  const parts = kind.watched.flatMap((name) => {
    const isColumn = annotation.columns.some((column) => column.name === name);
    const table = isColumn ? annotation.name : annotationValue.name;
    const of = (files: readonly { table: string; path: string }[]) =>
      files.filter((one) => one.table === table);
    const [old, present] = [of(before), of(tables)];
    if (old.length + present.length === 0) return [];
    const relation = isColumn ? filledOf : valuesOf;
    return [changed(name, relation(name, old), relation(name, present))];
  });
  if (parts.length === 0) return undefined;
  const path = join(task.outputFolder, `${annotationChange.name}.parquet`);
  const text = (value: string | undefined): string =>
    value === undefined ? 'NULL::VARCHAR' : literal(value);
  const versions = [...new Set(before.map(({ version }) => version))];
  const constants = [
    `${literal(task.setId)} AS source_id, ${literal(release.source)} AS source`,
    `${text(versions[0])} AS old_version, ${text(release.version)} AS new_version`,
  ].join(', ');
  const rows = await sql.run(
    `COPY (SELECT ${constants}, ${keys.join(', ')}, name, old_value, new_value FROM (${parts.join(' UNION ALL ')})
      ORDER BY chromosome, position) TO ${literal(path)} (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1)`,
  );
  return { table: annotationChange.name, path, rows };
}

type Files = readonly { path: string }[];

const nothing = `SELECT ${keys.map((key) => `NULL::${key === 'position' ? 'BIGINT' : 'VARCHAR'} AS ${key}`).join(', ')}, NULL::VARCHAR AS value WHERE false`;

const read = (files: Files): string => `read_parquet([${files.map(({ path }) => literal(path)).join(', ')}])`;

/** Values of a column of `variant`. */
function filledOf(name: string, files: Files): string {
  if (files.length === 0) return nothing;
  return `SELECT ${alleleColumns.join(', ')}, NULL::VARCHAR AS gene, NULL::VARCHAR AS protein_change,
    ${name}::VARCHAR AS value FROM ${read(files)} WHERE ${name} IS NOT NULL`;
}

/** Values of a name: its texts, else its numbers, of one key in order. */
function valuesOf(name: string, files: Files): string {
  if (files.length === 0) return nothing;
  return `SELECT ${keys.join(', ')}, string_agg(DISTINCT coalesce(label, value::VARCHAR), ', ' ORDER BY coalesce(label, value::VARCHAR)) AS value
    FROM ${read(files)} WHERE name = ${literal(name)} GROUP BY ${keys.join(', ')}`;
}

/** Keys whose value differs. */
function changed(name: string, old: string, present: string): string {
  const both = keys.map((key) => `coalesce(n.${key}, o.${key}) AS ${key}`).join(', ');
  const same = keys.map((key) => `n.${key} IS NOT DISTINCT FROM o.${key}`).join(' AND ');
  return `SELECT ${both}, ${literal(name)} AS name, o.value AS old_value, n.value AS new_value
    FROM (${old}) AS o FULL JOIN (${present}) AS n ON ${same}
    WHERE o.value IS DISTINCT FROM n.value
      AND (o.chromosome IS NULL OR o.chromosome IN (SELECT DISTINCT chromosome FROM (${present})))`;
}
