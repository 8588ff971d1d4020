import type { Table } from '@ploidy/formats';
import type { QueryTable } from '../../../platform/engine/engine.ts';
import { type LocatedSegment, namesOf, rowsOf } from '../segment-rows.ts';
import { annotatedTable, annotationsOf, fitting } from './annotated-segments.ts';
import { filledColumns, sameAllele } from './fill.ts';

/**
 * The variants of a project with what its annotations say of them. Segments that were filled beforehand are read as they are; others are
 * joined when they are asked, so that an annotation counts from the moment it is there, and no longer than it is. Those of one build of
 * the genome are joined with the annotations that fit it.
 */
export function variantRelation(table: Table, segments: LocatedSegment[]): Omit<QueryTable, 'name'> {
  const of = (name: string): LocatedSegment[] => segments.filter((segment) => segment.table === name);
  const [own, filled] = [of(table.name), of(annotatedTable)];
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

function joined(table: Table, own: LocatedSegment[], annotations: LocatedSegment[]): string {
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
