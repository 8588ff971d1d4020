import type { StoredColumn, StoredTable } from './table.ts';

const resourceKey: readonly StoredColumn[] = [
  { name: 'resource_type', type: 'string', about: 'FHIR type of the resource.' },
  { name: 'resource_id', type: 'string', about: 'Id of the resource.' },
];

const versionColumns: readonly StoredColumn[] = [
  { name: 'last_updated', type: 'timestamp', about: 'Time of the version.' },
  { name: 'deleted', type: 'boolean', about: 'Whether the version is a deletion.' },
];

/** Versions of resources: rows of an older version, or of a deleted resource, are hidden. */
export const resourceVersion: StoredTable = {
  name: '_resource',
  about: 'Newest version of each resource.',
  orderBy: ['resource_type', 'resource_id'],
  columns: [
    ...resourceKey,
    { name: 'patient_id', type: 'string', about: 'Patient of the resource.' },
    ...versionColumns,
  ],
};

/**
 * Versions of resources that had another visible version when they were published. Only these resources need a
 * choice of their current version.
 */
export const resourceRevision: StoredTable = {
  name: '_revision',
  about: 'Versions of resources that had another version already.',
  orderBy: ['resource_type', 'resource_id'],
  columns: [...resourceKey, ...versionColumns],
};

/** Versions of earlier ingestions that are newer than the one of the file. */
export const newerRevision: StoredTable = {
  name: '_newer',
  about: 'Versions of resources that were newer than one published later.',
  orderBy: ['resource_type', 'resource_id'],
  columns: [
    ...resourceRevision.columns,
    { name: 'version', type: 'int', about: 'Ordinal of the ingestion that has the newer version.' },
  ],
};

/** Concepts of Medication resources, to which other resources refer. */
export const medicationDefinition: StoredTable = {
  name: '_medication',
  about: 'Concept of each Medication.',
  orderBy: ['resource_type', 'resource_id'],
  columns: [
    { name: 'resource_type', type: 'string', about: 'FHIR type of the resource.' },
    { name: 'resource_id', type: 'string', about: 'Id of the Medication.' },
    { name: 'code', type: 'string', about: 'Code of the substance.' },
    { name: 'system', type: 'string', about: 'Code system of `code`.' },
    { name: 'display', type: 'string', about: 'Display name of `code`.' },
    { name: 'text', type: 'string', about: 'Plain text of the substance.' },
  ],
};

/** Patients that people gave to samples after their ingestion; one file of a project, which is replaced as a whole. */
export const samplePatient: StoredTable = {
  name: '_sample_patient',
  about: 'Patients that were given to samples by a list.',
  orderBy: ['sample_id'],
  columns: [
    { name: 'sample_id', type: 'string', about: 'Id of the sample.' },
    { name: 'patient_id', type: 'string', about: 'Patient of the sample; NULL: none.' },
    { name: 'specimen_id', type: 'string', about: 'Specimen of the sample.' },
  ],
};

/**
 * Transcripts of gene models, for the consequences of variants. Statements cannot name it, and its files count one by one, the
 * newest first, so they are never merged.
 */
export const geneModel: StoredTable = {
  name: '_gene_model',
  about: 'Transcripts of gene models.',
  orderBy: [],
  columns: [
    { name: 'chromosome', type: 'string', about: 'Chromosome, as in `variant`.' },
    { name: 'start_position', type: 'int', about: 'First base, counted from 1.' },
    { name: 'gene', type: 'string', about: 'Symbol of the gene, else its id.' },
    { name: 'transcript_id', type: 'string', about: 'Transcript.' },
    { name: 'model', type: 'string', about: 'Exons, coding range and choice of the transcript.' },
  ],
};

/** Names that samples may have in omic files. */
export const sampleLink: StoredTable = {
  name: '_sample_link',
  about: 'Names of samples in omic files, with their patients.',
  orderBy: ['sample_name', 'patient_id'],
  columns: [
    { name: 'sample_name', type: 'string', about: 'Name of the sample.' },
    { name: 'patient_id', type: 'string', about: 'Patient of the sample.' },
    { name: 'specimen_id', type: 'string', about: 'Specimen of the sample.' },
    { name: 'resource_type', type: 'string', about: 'FHIR type of the resource that names it.' },
    { name: 'resource_id', type: 'string', about: 'Id of the resource that names it.' },
  ],
};
