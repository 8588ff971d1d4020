import { annotation, type Table } from '@ploidy/formats';
import type { QueryTable } from '../../../platform/engine/engine.ts';
import { type LocatedSegment, rowsOf } from '../segment-rows.ts';
import { annotatedTable } from './annotated-segments.ts';
import { filledColumns, sameAllele } from './fill.ts';

/**
 * The variants of a project with what its annotations say of them. Segments that were filled beforehand are read as they are; others are
 * joined when they are asked, so that an annotation counts from the moment it is there, and no longer than it is.
 */
export function variantRelation(table: Table, segments: LocatedSegment[]): Omit<QueryTable, 'name'> {
  const of = (name: string): LocatedSegment[] => segments.filter((segment) => segment.table === name);
  const [own, filled] = [of(table.name), of(annotatedTable)];
  const annotations = own.length === 0 ? [] : of(annotation.name).toReversed();
  const relations = [
    ...(filled.length > 0 ? [rowsOf(filled, namesOf(table))] : []),
    ...(own.length > 0 ? [joined(table, own, annotations)] : []),
  ];
  const files = [...filled, ...own, ...annotations].map(({ path }) => path);
  return { sql: relations.join(' UNION ALL '), files: [...new Set(files)] };
}

const namesOf = (table: Table): string => table.columns.map(({ name }) => `"${name}"`).join(', ');

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
