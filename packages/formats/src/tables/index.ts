import { allergy } from './allergy.ts';
import { alteration } from './alteration.ts';
import { annotation } from './annotation.ts';
import { annotationChange, annotationSource, annotationValue } from './annotation-tables.ts';
import { attribute, attributeValue } from './attribute.ts';
import { coding, codingFile, shownElements } from './coding.ts';
import { cohort } from './cohort.ts';
import { condition } from './condition.ts';
import { copynumber } from './copynumber.ts';
import { demographic } from './demographic.ts';
import { dosage } from './dosage.ts';
import { encounter } from './encounter.ts';
import { familyHistory } from './family-history.ts';
import { fusion } from './fusion.ts';
import { gene } from './gene.ts';
import { genePanel, sampleProfile } from './gene-panel.ts';
import { immunization } from './immunization.ts';
import { media } from './media.ts';
import { medication } from './medication.ts';
import { observation } from './observation.ts';
import { faultOfTableName } from './own-names.ts';
import { patient } from './patient.ts';
import { procedure } from './procedure.ts';
import { resource } from './resource.ts';
import { sequence } from './sequence.ts';
import { specimen } from './specimen.ts';
import {
  geneModel,
  medicationDefinition,
  newerRevision,
  resourceRevision,
  resourceVersion,
  sampleLink,
  samplePatient,
} from './stored.ts';
import type { StoredTable, Table } from './table.ts';
import { timelineEvent } from './timeline-event.ts';
import { variant } from './variant.ts';
import { variantCall } from './variant-call.ts';

export { alleleColumns, annotatedColumns, annotation } from './annotation.ts';
export { annotationChange, annotationSource, annotationValue } from './annotation-tables.ts';
export { caseListAttribute } from './attribute.ts';
export { codingFile } from './coding.ts';
export { demographic } from './demographic.ts';
export { domains, isWithin } from './domains.ts';
export { columnNameOf, tableNameOfFile } from './own-names.ts';
export { keyColumns, masksOfType, type OwnColumn, ownTable, readOwnColumns } from './own-table.ts';
export { sequence } from './sequence.ts';
export { holdsSql, statuses } from './status.ts';
export {
  geneModel,
  medicationDefinition,
  newerRevision,
  resourceRevision,
  resourceVersion,
  sampleLink,
  samplePatient,
} from './stored.ts';
export {
  type Bound,
  type BoundForm,
  type Bounds,
  boundForm,
  boundValuesMax,
  type Column,
  type ColumnType,
  digestLength,
  engineTypes,
  hasWords,
  indexColumn,
  type Mask,
  masks,
  type StoredColumn,
  type StoredTable,
  type Table,
  wordsColumn,
} from './table.ts';

const byName = <T extends StoredTable>(...all: T[]): ReadonlyMap<string, T> =>
  new Map(all.map((table) => [table.name, table]));

/** Every table that a project may have, by name (specification, "Data lake records"). */
export const tables: ReadonlyMap<string, Table> = byName(
  variant,
  variantCall,
  copynumber,
  fusion,
  gene,
  sequence,
  condition,
  demographic,
  dosage,
  media,
  medication,
  observation,
  patient,
  procedure,
  specimen,
  allergy,
  encounter,
  familyHistory,
  immunization,
  resource,
  coding,
  alteration,
  attribute,
  attributeValue,
  genePanel,
  sampleProfile,
  timelineEvent,
  annotationSource,
  annotationValue,
  annotationChange,
  cohort,
);

/** Elements whose codings masked readers see. */
export const maskedElements: readonly string[] = shownElements(tables.values());

/** Tables of which the lake may hold files. */
export const storedTables: ReadonlyMap<string, StoredTable> = byName<StoredTable>(
  ...tables.values(),
  codingFile,
  geneModel,
  resourceVersion,
  resourceRevision,
  newerRevision,
  medicationDefinition,
  sampleLink,
  samplePatient,
  annotation,
);

/** Finds a table that the lake may hold files of. */
export function storedTable(name: string): StoredTable {
  const found = storedTables.get(name);
  if (!found) throw new Error(`The catalogue has no table ${name}`);
  return found;
}

/** Returns why a project's own table cannot have a name; undefined if it can. */
export function faultOfOwnName(name: string): string | undefined {
  return faultOfTableName(
    name,
    [...tables.values()].flatMap((table) => [table.name, table.plural]),
  );
}
