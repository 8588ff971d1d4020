import type { GroupExperiment, ProgramSummary } from '@ploidy/formats';
import { Type } from 'typebox';
import { countOf, optionalText, textOf } from '../../../../api/shapes.ts';
import { timestamp } from '../../../../base/ids.ts';
import type { ReadGroupSetsTable, ReadGroupsTable } from '../../../../platform/records/schema-genomics.ts';
import { attributesFrom, attributesShape } from '../attributes.ts';

const count = (what: string) => textOf(`${what}, a 64-bit integer as a string`);

const statsShape = Type.Object(
  {
    alignedReadCount: count('Aligned reads'),
    unalignedReadCount: count('Unaligned reads'),
    baseCount: count('Bases of all reads'),
  },
  { title: 'ReadStats', description: 'Numbers of reads and bases' },
);

const programShape = Type.Object(
  {
    id: textOf('`ID` of the `@PG`; empty without one'),
    name: optionalText('`PN`: name of the program'),
    version: optionalText('`VN`: version of the program'),
    commandLine: optionalText('`CL`: its command line'),
    prevProgramId: optionalText('`PP`: id of the program before it'),
  },
  { title: 'Program' },
);

const unknownText = (what: string) => optionalText(`${what}; absent, since headers do not name it`);

const experimentShape = Type.Object(
  {
    id: textOf('Id of the read group'),
    name: textOf('Name of the read group'),
    description: unknownText('Description'),
    messageCreateTime: optionalText('Creation of the set; RFC 3339, UTC'),
    messageUpdateTime: optionalText('Last change of the set; RFC 3339, UTC'),
    runTime: optionalText('`DT`: time of the run; RFC 3339'),
    molecule: unknownText('Molecule'),
    strategy: unknownText('Strategy of the experiment'),
    selection: unknownText('Selection of the molecules'),
    library: optionalText('`LB`: name of the library'),
    libraryLayout: optionalText('`PAIRED` or `SINGLE`, by the reads; absent without reads'),
    instrumentModel: optionalText('`PM`, else `PL`: model or platform of the instrument'),
    instrumentDataFile: unknownText('File of the instrument'),
    sequencingCenter: optionalText('`CN`: name of the sequencing centre'),
    platformUnit: optionalText('`PU`: unit of the platform, such as a lane'),
    attributes: attributesShape,
  },
  { title: 'Experiment', description: 'Preparation and run, from the `@RG` of the header' },
);

const referenceSetId = optionalText('Id of the reference set of the alignment; absent if unknown');

const readGroupShape = Type.Object(
  {
    id: textOf('Id of the read group'),
    datasetId: textOf('Id of the project'),
    name: Type.String({ description: '`ID` of the header’s `@RG`' }),
    description: optionalText('`DS`: description'),
    sampleName: optionalText('`SM`: name of the sample'),
    biosampleId: optionalText(
      'Specimen of the ingestion, else the name of the sample; absent without either',
    ),
    experiment: experimentShape,
    predictedSnsertSize: Type.Optional(
      Type.Integer({ description: 'Name as spelled in the API specification' }),
    ),
    predictedInsertSize: Type.Optional(countOf('`PI`: predicted median insert size in bases')),
    created: textOf('Creation, epoch milliseconds as a string'),
    updated: textOf('Last change, epoch milliseconds as a string'),
    stats: statsShape,
    programs: Type.Array(programShape, { description: 'Programs of the header (`@PG`)' }),
    referenceSetId,
    attributes: attributesShape,
  },
  { title: 'ReadGroup' },
);

export const readGroupSetShape = Type.Object(
  {
    id: textOf('Id of the read group set'),
    datasetId: textOf('Id of the project'),
    name: textOf('Name of the set'),
    status: Type.String({
      enum: ['INDEXING', 'ACTIVE', 'FAILED'],
      description: 'Reads can be fetched while it is `ACTIVE`',
    }),
    message: Type.Optional(Type.String({ description: 'Reason for `FAILED`' })),
    format: Type.Optional(
      Type.String({ enum: ['BAM', 'CRAM'], description: 'Format of its htsget tickets, once `ACTIVE`' }),
    ),
    fileId: textOf('Id of the BAM or CRAM'),
    patientId: optionalText('Id of the patient; absent where it is unknown'),
    samples: Type.Array(Type.String({ description: 'Id of the sample in the table `sequence`' }), {
      description: 'Samples of the read groups that are shown; empty where the header names none',
    }),
    testType: optionalText('Type of the test, as the ingestion named it'),
    sequenceType: optionalText('Type of the sequence, as the ingestion named it'),
    referenceSetId,
    stats: statsShape,
    readGroups: Type.Array(readGroupShape, { description: 'Groups of the header (`@RG`)' }),
    attributes: attributesShape,
  },
  { title: 'ReadGroupSet' },
);

/** Set as read from the database; its `reference_set_id` refers to an existing set. */
export interface ReadGroupSetRow extends ReadGroupSetsTable {
  groups: ReadGroupsTable[];
}

/** Shows a read group set in the API. */
export function viewOfReadGroupSet(row: ReadGroupSetRow) {
  return {
    id: row.id,
    datasetId: row.project_id,
    name: row.name,
    status: row.status,
    ...given('message', row.message),
    ...given('format', row.status === 'ACTIVE' ? row.format : null),
    fileId: row.file_id,
    ...given('patientId', row.patient_id),
    samples: [...new Set(row.groups.flatMap(({ sample_name: sample }) => sample ?? []))],
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

/** Names of the tags of `@HD`; others keep their name (SAM §1.3). */
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
