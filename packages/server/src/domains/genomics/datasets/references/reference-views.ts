import type { SpeciesTerm } from '@ploidy/formats';
import { Type } from 'typebox';
import { optionalText, textOf } from '../../../../api/shapes.ts';
import type { ReferenceSetsTable, ReferencesTable } from '../../../../platform/records/schema-genomics.ts';
import { attributesFrom, attributesShape, ontologyTermShape } from '../attributes.ts';

const sourceFields = {
  sourceUri: optionalText('Address of the source; absent where it is unknown'),
  sourceAccessions: Type.Array(Type.String(), { description: 'Accessions of the source; may be empty' }),
  isDerived: Type.Boolean({ description: '`false`: derivations are not recorded' }),
  species: Type.Optional(ontologyTermShape('Species; absent where it is unknown')),
};

export const referenceShape = Type.Object(
  {
    id: textOf('Id of the reference'),
    referenceSetId: textOf('Id of its set'),
    name: textOf('Name of the sequence, such as `chr1`'),
    length: textOf('Number of bases, a 64-bit integer as a string'),
    md5checksum: Type.String({ description: 'MD5 of the bases in upper case' }),
    sourceDivergence: Type.Number({ description: 'Divergence from the source: 0, since none is recorded' }),
    ...sourceFields,
    attributes: attributesShape,
  },
  { title: 'Reference' },
);

export const referenceSetShape = Type.Object(
  {
    id: textOf('Id of the reference set'),
    datasetId: textOf('Id of the project'),
    name: textOf('Name of the set'),
    md5checksum: Type.String({ description: 'MD5 of the sorted, joined checksums of its references' }),
    description: optionalText('Description, as the ingestion named it'),
    assemblyId: optionalText('Assembly, such as `GRCh38`; absent where it is unknown'),
    ...sourceFields,
    fileId: Type.Optional(Type.String({ description: 'Absent: registered from the header of a BAM' })),
    attributes: attributesShape,
  },
  { title: 'ReferenceSet' },
);

/** Shows a reference in the API. */
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

/** Shows a reference set in the API. */
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
