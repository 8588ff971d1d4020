import { formats } from '@ploidy/converters';
import { genomeBuilds } from '@ploidy/formats/genome-build';
import { Type } from 'typebox';
import type { Caller } from '../../access/caller.ts';
import { attributesOfNew } from '../../access/resource.ts';
import { type Pages, pageOf, pageQuery } from '../../api/paging.ts';
import { Answer, type Located, type Route, route } from '../../api/route.ts';
import {
  countOf,
  failureFields,
  idOf,
  idParam,
  idPrefixShape,
  nameShape,
  projectIdShape,
  textOf,
  timestampShape,
  waitingShape,
} from '../../api/shapes.ts';
import type { Files } from '../files/index.ts';
import type { Projects } from '../files/projects/index.ts';
import type { ReferenceSets } from '../genomics/datasets/index.ts';
import {
  attributesOfIngestion,
  type FoundIngestion,
  knowsFile,
  madeShapes,
  viewOfIngestion,
} from './ingestion.ts';
import type { Ingestions } from './ingestions.ts';
import { annotationShape, ownTableShape, refuseContradictions } from './options.ts';
import { choosesMasks } from './rights.ts';

const tag = 'Ingestion';

const length = { minLength: 1, maxLength: 255 };
const text = (description: string) => Type.Optional(Type.String({ ...length, description }));

const optionFields = {
  type: Type.Optional(
    Type.Union(
      formats.map(({ name }) => Type.Literal(name)),
      {
        description:
          'Absent: recognised by content. `table`, never recognised: a CSV, TSV, NDJSON or Parquet file that becomes a table of the project’s own. `annotation`, never recognised: a file of an annotation source (ClinVar, gnomAD, dbSNP, COSMIC, scores, CIViC, gene lists …), which fills empty fields of the project’s variants, or tables of annotations. `gff3`: gene models. With a FASTA, they give genes and consequences to VCFs that have none',
      },
    ),
  ),
  name: text('Name of the set'),
  sampleId: text('Name of the only sample, or of the tumour beside NORMAL, instead of that of the file'),
  sampleIds: Type.Optional(
    Type.Record(Type.String(length), Type.String(length), {
      description: 'New names of samples by those in the file, such as `{"TUMOR": "S1-T"}`',
      maxProperties: 100_000,
    }),
  ),
  patientId: text('Patient of the only sample'),
  specimenId: text('Specimen of the only sample'),
  samples: Type.Optional(
    Type.Array(
      Type.Object({
        sampleId: idOf('Name of the sample in the file'),
        patientId: idOf('Id of the patient'),
        specimenId: text('Specimen of the sample'),
      }),
      { maxItems: 100_000, description: 'Patient of each sample' },
    ),
  ),
  testType: text('For the table `sequence`'),
  sequenceType: text('For the tables `sequence` and `fusion`'),
  referenceSetId: text('BAM only: reference set of the alignment, when the header does not name it'),
  assemblyId: text('FASTA only: assembly, such as `GRCh38`'),
  species: text('FASTA only: species, such as `Homo sapiens`'),
  sourceUri: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2048, description: 'FASTA only: source URI' }),
  ),
  sourceAccessions: Type.Optional(
    Type.Array(nameShape('Accession of the assembly'), {
      maxItems: 20,
      description: 'FASTA only: accessions, such as `GCA_000001405.15`',
    }),
  ),
  description: Type.Optional(Type.String({ maxLength: 4000, description: 'FASTA only: description' })),
  genomeBuild: Type.Optional(
    Type.Union(
      genomeBuilds.map((build) => Type.Literal(build)),
      {
        description:
          'Genome build of the positions. Most VCF and MAF files name it; a file that names another is refused',
      },
    ),
  ),
  source: Type.Optional(
    Type.String({
      maxLength: 255,
      description:
        'FHIR only: server or system in which the ids are unique. Absent: the base of the full URLs, else the project itself. The same id of two sources is refused',
    }),
  ),
  idPrefix: Type.Optional(
    idPrefixShape('FHIR only: prefix of every id of the file, to separate them from those of another source'),
  ),
  passOnly: Type.Optional(Type.Boolean({ description: 'Only records (VCF, MAF) with FILTER PASS or empty' })),
  variantCalls: Type.Optional(
    Type.Boolean({ description: 'VCF only: `false` leaves out the table `variant_call`' }),
  ),
  table: Type.Optional(ownTableShape),
  annotation: Type.Optional(annotationShape),
  onError: Type.Optional(
    Type.Union([Type.Literal('fail'), Type.Literal('skip')], {
      description:
        '`fail` (default): the first broken line ends it. `skip`: such lines are counted and listed',
    }),
  ),
};

const newIngestion = Type.Object({
  datasetId: projectIdShape,
  fileId: idOf('Id of the file, which must be in the project'),
  ...optionFields,
});

const lineShape = Type.Optional(countOf('Line of the file, from 1; absent where it concerns no line'));

const ingestionShape = Type.Object(
  {
    id: textOf('Id of the ingestion'),
    datasetId: textOf('Id of the project'),
    fileId: textOf('Id of the file'),
    fileName: Type.String({ description: 'Empty unless you started the ingestion or may read the file' }),
    ...optionFields,
    state: Type.String({
      enum: ['queued', 'running', 'succeeded', 'failed', 'cancelled'],
      description: 'Rows are visible once it has `succeeded`',
    }),
    waiting: waitingShape(timestampShape),
    progress: Type.Object(
      {
        bytes: countOf('Bytes read so far'),
        bytesTotal: countOf('Size of the file in bytes'),
        rows: countOf('Rows written so far'),
      },
      { description: 'Progress through the file' },
    ),
    warningCount: countOf('Number of all warnings'),
    warnings: Type.Array(Type.Object({ line: lineShape, message: textOf('Reason in one sentence') }), {
      description: 'The first hundred',
    }),
    ...madeShapes,
    error: Type.Optional(
      Type.Object(
        {
          ...failureFields,
          line: lineShape,
          column: Type.Optional(countOf('Column of the line, from 1; absent where it is unknown')),
        },
        { description: 'Reason of the failure; absent unless it has `failed`' },
      ),
    ),
    userId: textOf('Id of the user who started it'),
    created: timestampShape,
    started: Type.Optional(timestampShape),
    ended: Type.Optional(timestampShape),
  },
  { title: 'Ingestion' },
);

interface IngestionRouteDeps {
  ingestions: Ingestions;
  projects: Projects;
  files: Files;
  referenceSets: ReferenceSets;
  pages: Pages;
}

/** Routes of /v1/ingestions. */
export function ingestionRoutes(deps: IngestionRouteDeps): Route[] {
  const { ingestions, projects, files, referenceSets, pages } = deps;
  const locate = async ({
    params,
  }: {
    params: { id: string };
  }): Promise<Located<FoundIngestion> | undefined> => {
    const record = await ingestions.find(params.id);
    return record && { attributes: attributesOfIngestion(record), record };
  };
  const locateToRead = async (
    { params }: { params: { id: string } },
    _account: string,
    caller: Caller,
  ): Promise<Located<FoundIngestion> | undefined> => {
    const located = await locate({ params });
    // The user's own ingestion needs no audit entry for each poll: it shows only what the user sent.
    const own = located?.record.user_id === caller.userId;
    return located && own ? { ...located, operation: 'ingestions.readOwn' } : located;
  };
  const view = async (row: FoundIngestion, caller: Caller) =>
    viewOfIngestion(row, caller, await knowsFile(row, caller, files), await ingestions.waitOf(row));
  return [
    route({
      method: 'POST',
      path: '/v1/ingestions',
      operation: 'ingestions.create',
      tag,
      summary: 'Ingest a file: its rows become tables of the project',
      description:
        'All or nothing; ingesting the same file again replaces its earlier rows, which needs `updateData`.',
      body: newIngestion,
      answers: { 202: { schema: ingestionShape, description: 'Queued' } },
      locate: async ({ body }, _account, caller) => {
        const file = await files.find(body.fileId);
        if (file?.project_id !== body.datasetId) return undefined;
        const place = { account: file.account_id, id: file.project_id };
        const attributes = attributesOfNew('ingestion', place, caller);
        const also = await files.neededToIngest(file, caller, choosesMasks(body));
        if (body.referenceSetId === undefined) return { attributes, record: file, also };
        const set = await referenceSets.locate(file.account_id, body.referenceSetId);
        if (!set) return undefined;
        also.push({ operation: 'references.read', attributes: set.attributes });
        return { attributes, record: file, also };
      },
      handle: async ({ resource, body, caller, requestId }) => {
        const { datasetId: _, fileId: __, ...input } = body;
        refuseContradictions(input);
        const row = await ingestions.create(resource, input, { caller, requestId });
        const found = { ...row, file_owner_id: resource.owner_id, file_origin: resource.origin };
        return view(found, caller);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/ingestions',
      operation: 'ingestions.read',
      tag,
      summary: 'List the ingestions of a project, newest first',
      query: Type.Object({
        datasetId: projectIdShape,
        fileId: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 255,
            description: 'File of the ingestions: leads from an upload with `ingest` to its ingestion',
          }),
        ),
        ...pageQuery,
      }),
      answers: { 200: { schema: pageOf(ingestionShape), description: 'Newest first' } },
      locate: async ({ query }) => {
        const record = await projects.find(query.datasetId);
        return (
          record && { record, attributes: { account: record.account, dataset: record.id, type: 'ingestion' } }
        );
      },
      handle: async ({ resource, query, caller }) => {
        const scope = `ingestions:${resource.id}:${query.fileId ?? ''}:${caller.userId}`;
        const list = { path: '/v1/ingestions', query, scope };
        const page = pages.read(query, list.scope);
        const rows = await ingestions.list(caller, resource, page, { fileId: query.fileId });
        const waiting = await ingestions.waiting(rows);
        const known = new Map<FoundIngestion, boolean>();
        for (const row of rows) known.set(row, await knowsFile(row, caller, files));
        return pages.answer(
          rows,
          page,
          list,
          (row) => [row.id],
          (row) => viewOfIngestion(row, caller, known.get(row) === true, waiting.get(row.job_id)),
        );
      },
    }),
    route({
      method: 'GET',
      path: '/v1/ingestions/:id',
      operation: 'ingestions.read',
      tag,
      summary: 'Get the state, progress and warnings of an ingestion',
      params: idParam,
      answers: { 200: { schema: ingestionShape, description: 'The ingestion' } },
      locate: locateToRead,
      handle: ({ resource, caller }) => view(resource, caller),
    }),
    route({
      method: 'DELETE',
      path: '/v1/ingestions/:id',
      operation: 'ingestions.cancel',
      conflicts: ['INGESTION_ENDED'],
      neverShed: true,
      tag,
      summary: 'Cancel an ingestion that has not ended',
      params: idParam,
      answers: { 204: { description: 'Cancelled; nothing of it is visible' } },
      locate,
      handle: async ({ resource, caller, requestId }) => {
        await ingestions.cancel(resource, { caller, requestId });
        return new Answer(204);
      },
    }),
  ];
}
