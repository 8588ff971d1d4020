import type { SpeciesTerm } from '@ploidy/formats';
import type { ReferenceSetsTable, ReferencesTable } from '../../platform/records/schema-genomics.ts';
import { Type } from '../../schema.ts';
import { attributesFrom, attributesShape } from './attributes.ts';

const text = Type.Optional(Type.String());

const speciesShape = Type.Object({ term_id: text, term: text });

const sourceFields = {
  sourceUri: text,
  sourceAccessions: Type.Array(Type.String()),
  isDerived: Type.Boolean(),
  species: Type.Optional(speciesShape),
};

export const referenceShape = Type.Object(
  {
    id: Type.String(),
    referenceSetId: Type.String(),
    name: Type.String(),
    length: Type.String({ description: 'A 64-bit integer as text' }),
    md5checksum: Type.String({ description: 'Of the bases in upper case' }),
    sourceDivergence: Type.Number(),
    ...sourceFields,
    attributes: attributesShape,
  },
  { title: 'Reference' },
);

export const referenceSetShape = Type.Object(
  {
    id: Type.String(),
    datasetId: Type.String(),
    name: Type.String(),
    md5checksum: Type.String({ description: 'Of the sorted, joined checksums of its references' }),
    description: text,
    assemblyId: text,
    ...sourceFields,
    fileId: Type.Optional(Type.String({ description: 'Absent: registered from the header of a BAM' })),
    attributes: attributesShape,
  },
  { title: 'ReferenceSet' },
);

/** A reference as the API shows it. */
export function viewOfReference(row: ReferencesTable) {
  return {
    id: row.id,
    referenceSetId: row.set_id,
    name: row.name,
    length: String(row.length),
    md5checksum: row.md5checksum,
    ...(row.source_uri !== null && { sourceUri: row.source_uri }),
    sourceAccessions: row.accession === null ? [] : [row.accession],
    isDerived: false,
    sourceDivergence: 0,
    ...speciesOf(row.species),
    attributes: attributesFrom(JSON.parse(row.attributes) as Record<string, string>),
  };
}

/** A reference set as the API shows it. */
export function viewOfReferenceSet(row: ReferenceSetsTable) {
  return {
    id: row.id,
    datasetId: row.project_id,
    name: row.name,
    md5checksum: row.md5checksum,
    ...(row.description !== null && { description: row.description }),
    ...(row.assembly_id !== null && { assemblyId: row.assembly_id }),
    ...(row.source_uri !== null && { sourceUri: row.source_uri }),
    sourceAccessions: row.source_accessions.split('\n').filter((accession) => accession !== ''),
    isDerived: false,
    ...speciesOf(row.species),
    ...(row.file_id !== null && { fileId: row.file_id }),
    attributes: attributesFrom({}),
  };
}

function speciesOf(json: string | null): { species?: SpeciesTerm } {
  return json === null ? {} : { species: JSON.parse(json) as SpeciesTerm };
}
