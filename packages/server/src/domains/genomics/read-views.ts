import type { GroupExperiment, ProgramSummary } from '@ploidy/formats';
import { timestamp } from '../../ids.ts';
import type { ReadGroupSetsTable, ReadGroupsTable } from '../../platform/records/schema-genomics.ts';
import { Type } from '../../schema.ts';
import { attributesFrom, attributesShape } from './attributes.ts';

const text = Type.Optional(Type.String());
const count = Type.String({ description: 'A 64-bit integer as text' });

const statsShape = Type.Object(
  { alignedReadCount: count, unalignedReadCount: count, baseCount: count },
  { title: 'ReadStats' },
);

const programShape = Type.Object(
  {
    id: Type.String(),
    name: text,
    version: text,
    commandLine: text,
    prevProgramId: text,
  },
  { title: 'Program' },
);

const experimentShape = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: text,
    messageCreateTime: text,
    messageUpdateTime: text,
    runTime: text,
    molecule: text,
    strategy: text,
    selection: text,
    library: text,
    libraryLayout: text,
    instrumentModel: text,
    instrumentDataFile: text,
    sequencingCenter: text,
    platformUnit: text,
    attributes: attributesShape,
  },
  { title: 'Experiment' },
);

const readGroupShape = Type.Object(
  {
    id: Type.String(),
    datasetId: Type.String(),
    name: Type.String({ description: '`ID` of the header’s `@RG`' }),
    description: text,
    sampleName: text,
    biosampleId: text,
    experiment: experimentShape,
    predictedSnsertSize: Type.Optional(
      Type.Integer({ description: 'Spelled as in the specification of this API' }),
    ),
    predictedInsertSize: Type.Optional(Type.Integer()),
    created: Type.String({ description: 'Epoch milliseconds as text' }),
    updated: Type.String({ description: 'Epoch milliseconds as text' }),
    stats: statsShape,
    programs: Type.Array(programShape),
    referenceSetId: text,
    attributes: attributesShape,
  },
  { title: 'ReadGroup' },
);

export const readGroupSetShape = Type.Object(
  {
    id: Type.String(),
    datasetId: Type.String(),
    name: Type.String(),
    status: Type.String({
      enum: ['INDEXING', 'ACTIVE', 'FAILED'],
      description: 'Reads can be fetched while it is `ACTIVE`',
    }),
    message: Type.Optional(Type.String({ description: 'Why it is `FAILED`' })),
    fileId: Type.String(),
    patientId: text,
    testType: text,
    sequenceType: text,
    referenceSetId: text,
    stats: statsShape,
    readGroups: Type.Array(readGroupShape),
    attributes: attributesShape,
  },
  { title: 'ReadGroupSet' },
);

/** A set as it is read: its `reference_set_id` is that of a set that is there. */
export interface ReadGroupSetRow extends ReadGroupSetsTable {
  groups: ReadGroupsTable[];
}

/** A read group set as the API shows it. */
export function viewOfReadGroupSet(row: ReadGroupSetRow) {
  return {
    id: row.id,
    datasetId: row.project_id,
    name: row.name,
    status: row.status,
    ...given('message', row.message),
    fileId: row.file_id,
    ...given('patientId', row.patient_id),
    ...given('testType', row.test_type),
    ...given('sequenceType', row.sequence_type),
    ...given('referenceSetId', row.reference_set_id),
    stats: statsOf(row),
    readGroups: viewsOfGroups(row),
    attributes: attributesFrom(namedTags(JSON.parse(row.attributes) as Record<string, string>)),
  };
}

function viewsOfGroups(set: ReadGroupSetRow) {
  const programs = JSON.parse(set.programs) as ProgramSummary[];
  return set.groups.map((group) => ({
    id: group.id,
    datasetId: set.project_id,
    name: group.name,
    ...given('description', group.description),
    ...given('sampleName', group.sample_name),
    ...given('biosampleId', group.biosample_id),
    experiment: experimentOf(set, group),
    ...(group.predicted_insert_size !== null && {
      predictedSnsertSize: group.predicted_insert_size,
      predictedInsertSize: group.predicted_insert_size,
    }),
    created: String(set.created_at),
    updated: String(set.updated_at),
    stats: statsOf(group),
    programs,
    ...given('referenceSetId', set.reference_set_id),
    attributes: attributesFrom(JSON.parse(group.attributes) as Record<string, string>),
  }));
}

function experimentOf(set: ReadGroupSetRow, group: ReadGroupsTable) {
  return {
    id: group.id,
    name: group.name,
    messageCreateTime: timestamp(set.created_at),
    messageUpdateTime: timestamp(set.updated_at),
    ...(JSON.parse(group.experiment) as GroupExperiment),
    attributes: attributesFrom({}),
  };
}

function statsOf(row: Pick<ReadGroupsTable, 'aligned_count' | 'unaligned_count' | 'base_count'>) {
  return {
    alignedReadCount: String(row.aligned_count),
    unalignedReadCount: String(row.unaligned_count),
    baseCount: String(row.base_count),
  };
}

/** Names of the tags of `@HD`; others stay as they are (SAM spec §1.3). */
const tagNames: Readonly<Record<string, string>> = {
  VN: 'formatVersion',
  SO: 'sortOrder',
  GO: 'groupOrder',
  SS: 'subSortOrder',
};

function namedTags(tags: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(tags).map(([tag, value]) => [tagNames[tag] ?? tag, value]));
}

function given<K extends string>(name: K, value: string | null): Partial<Record<K, string>> {
  return (value === null ? {} : { [name]: value }) as Partial<Record<K, string>>;
}
