import { filledColumns, sameAllele } from '@ploidy/converters/fill';
import type { QueryTable } from '@ploidy/engine';
import type { Table } from '@ploidy/formats';
import { type LocatedFile, namesOf, rowsOf } from '../catalogue/segment-rows.ts';
import { annotatedTable, annotationsOf, fitting } from './annotated-segments.ts';

/**
 * Builds the relation of variants with their annotations. Filled segments are read as they are. Others are
 * joined at query time, by genome build, so an annotation applies from its publication to its removal.
 */
export function variantRelation(table: Table, segments: LocatedFile[]): Omit<QueryTable, 'name'> {
  const of = (name: string): LocatedFile[] => segments.filter((segment) => segment.table === name);
  const own = of(table.name);
  const filled = of(annotatedTable).map((file) => ({ ...file, table: table.name }));
  const all = annotationsOf(segments);
  const builds = [...Map.groupBy(own, ({ genomeBuild }) => genomeBuild).values()].map((together) => ({
    together,
    annotations: together.slice(0, 1).flatMap((one) => fitting(all, one)),
  }));
  const relations = [
    ...(filled.length > 0 ? [rowsOf(filled, namesOf(table))] : []),
    ...builds.map(({ together, annotations }) => joined(table, together, annotations)),
  ];
  const used = builds.flatMap(({ annotations }) => annotations);
  const files = [...filled, ...own, ...used].map(({ path }) => path);
  return { sql: relations.join(' UNION ALL '), files: [...new Set(files)] };
}

function joined(table: Table, own: LocatedFile[], annotations: LocatedFile[]): string {
  const sources = annotations.map((_, index) => `a${index}`);
  const filled = filledColumns(sources);
  const columns = table.columns.map(({ name }) => {
    const value = sources.length > 0 ? filled.get(name) : undefined;
    return value === undefined ? `v."${name}"` : `${value} AS "${name}"`;
  });
  const joins = annotations.map(
    (one, index) => ` LEFT JOIN (${rowsOf([one], '*')}) AS a${index} ON ${sameAllele(`a${index}`)}`,
  );
  return `SELECT ${columns.join(', ')} FROM (${rowsOf(own, namesOf(table))}) AS v${joins.join('')}`;
}
