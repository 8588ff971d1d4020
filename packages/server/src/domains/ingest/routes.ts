import { genomeBuilds } from '@ploidy/formats/genome-build';
import type { Caller } from '../../access/caller.ts';
import { type Pages, pageOf, pageQuery } from '../../paging.ts';
import { invalidInput } from '../../problem.ts';
import { Answer, type Located, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { idParam, nameShape, timestampShape } from '../../shapes.ts';
import { attributesOf, type Files } from '../files/index.ts';
import type { ReferenceSets } from '../genomics/index.ts';
import { locateProject, type Projects } from '../projects/index.ts';
import { attributesOfIngestion, type FoundIngestion, viewOfIngestion } from './ingestion.ts';
import type { Ingestions, NewIngestion } from './ingestions.ts';

const tag = 'Ingestion';

const text = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }));

const optionFields = {
  type: Type.Optional(
    Type.Union(
      [
        Type.Literal('vcf'),
        Type.Literal('maf'),
        Type.Literal('copynumber'),
        Type.Literal('fusion'),
        Type.Literal('expression'),
        Type.Literal('fhir'),
        Type.Literal('annotation'),
        Type.Literal('bam'),
        Type.Literal('fasta'),
      ],
      {
        description:
          'Absent: recognised by content. `annotation`, never recognised: a VCF (ClinVar, gnomAD, dbSNP, COSMIC …) that gives no rows of its own, but fills what the variants of the project do not say of themselves',
      },
    ),
  ),
  name: text('Name of the set'),
  sampleId: text('Sample of a file that names none, or another name for its only one'),
  patientId: text('Patient of the only sample'),
  specimenId: text('Specimen of the only sample'),
  samples: Type.Optional(
    Type.Array(
      Type.Object({
        sampleId: Type.String({ minLength: 1, maxLength: 255 }),
        patientId: Type.String({ minLength: 1, maxLength: 255 }),
        specimenId: text('Specimen of the sample'),
      }),
      { maxItems: 100_000, description: 'Which patient each sample is of' },
    ),
  ),
  testType: text('For the table `sequence`'),
  sequenceType: text('For the tables `sequence` and `fusion`'),
  referenceSetId: text('Of a BAM: the reference set that it was aligned to, when its header does not tell'),
  assemblyId: text('Of a FASTA, such as `GRCh38`'),
  species: text('Of a FASTA, such as `Homo sapiens`'),
  sourceUri: Type.Optional(
    Type.String({ minLength: 1, maxLength: 2048, description: 'Of a FASTA: where it comes from' }),
  ),
  sourceAccessions: Type.Optional(
    Type.Array(nameShape('Accession of the assembly'), {
      maxItems: 20,
      description: 'Of a FASTA, such as `GCA_000001405.15`',
    }),
  ),
  description: Type.Optional(Type.String({ maxLength: 4000, description: 'Of a FASTA' })),
  genomeBuild: Type.Optional(
    Type.Union(
      genomeBuilds.map((build) => Type.Literal(build)),
      {
        description:
          'What the positions are on. A VCF or MAF mostly tells it; one that tells another is refused',
      },
    ),
  ),
  passOnly: Type.Optional(
    Type.Boolean({ description: 'Only records of a VCF or MAF whose FILTER is PASS or empty' }),
  ),
  onError: Type.Optional(
    Type.Union([Type.Literal('fail'), Type.Literal('skip')], {
      description:
        '`fail` (default): the first broken line ends it. `skip`: such lines are counted and listed',
    }),
  ),
};

const newIngestion = Type.Object({
  datasetId: Type.String({ minLength: 1, maxLength: 255 }),
  fileId: Type.String({ minLength: 1, maxLength: 255 }),
  ...optionFields,
});

const ingestionShape = Type.Object(
  {
    id: Type.String(),
    datasetId: Type.String(),
    fileId: Type.String(),
    fileName: Type.String({ description: 'Empty for who neither began it nor may read the file' }),
    ...optionFields,
    state: Type.String({ enum: ['queued', 'running', 'succeeded', 'failed', 'cancelled'] }),
    progress: Type.Object({ bytes: Type.Integer(), bytesTotal: Type.Integer(), rows: Type.Integer() }),
    warningCount: Type.Integer(),
    warnings: Type.Array(Type.Object({ line: Type.Optional(Type.Integer()), message: Type.String() }), {
      description: 'The first hundred',
    }),
    error: Type.Optional(
      Type.Object({
        code: Type.String(),
        message: Type.String(),
        line: Type.Optional(Type.Integer()),
        column: Type.Optional(Type.Integer()),
      }),
    ),
    userId: Type.String(),
    created: timestampShape,
    started: Type.Optional(timestampShape),
    ended: Type.Optional(timestampShape),
  },
  { title: 'Ingestion' },
);

export interface IngestionRouteParts {
  ingestions: Ingestions;
  projects: Projects;
  files: Files;
  referenceSets: ReferenceSets;
  pages: Pages;
}

/** What is known of alleles is of nobody in particular. */
function refuseSampleOptions(input: NewIngestion): void {
  if (input.type !== 'annotation') return;
  const given = (
    ['sampleId', 'patientId', 'specimenId', 'samples', 'testType', 'sequenceType'] as const
  ).filter((name) => input[name] !== undefined);
  const details = given.map((name) => ({
    path: `body/${name}`,
    message: 'cannot be given for an annotation',
  }));
  if (details.length > 0) throw invalidInput(details);
}

/** /v1/ingestions */
export function ingestionRoutes(parts: IngestionRouteParts): Route[] {
  const { ingestions, projects, files, referenceSets, pages } = parts;
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
    // Who waits for his own asks many times; what he gets is what he sent, so the log is spared that.
    const own = located?.record.user_id === caller.userId;
    return located && own ? { ...located, operation: 'ingestions.readOwn' } : located;
  };
  return [
    route({
      method: 'POST',
      path: '/v1/ingestions',
      operation: 'ingestions.create',
      tag,
      summary: 'Ingest a file: its rows become tables of the project',
      description:
        'All or nothing; ingesting the same file again replaces what it gave before, which takes `updateData`.',
      body: newIngestion,
      answers: { 202: { schema: ingestionShape, description: 'Queued' } },
      locate: async ({ body }) => {
        const file = await files.find(body.fileId);
        if (file?.project_id !== body.datasetId) return undefined;
        const located = { attributes: { ...attributesOf(file), type: 'ingestion' as const }, record: file };
        if (body.referenceSetId === undefined) return located;
        const set = await referenceSets.locate(file.account_id, body.referenceSetId);
        return (
          set && {
            ...located,
            also: [{ operation: 'references.read' as const, attributes: set.attributes }],
          }
        );
      },
      handle: async ({ resource, body, caller, requestId }) => {
        const { datasetId: _, fileId: __, ...input } = body;
        refuseSampleOptions(input);
        if (input.patientId !== undefined && input.samples !== undefined) {
          throw invalidInput([{ path: 'body/patientId', message: 'cannot be given together with samples' }]);
        }
        const row = await ingestions.create(resource, input, { caller, requestId });
        return viewOfIngestion({ ...row, file_owner_id: resource.owner_id }, caller);
      },
    }),
    route({
      method: 'GET',
      path: '/v1/ingestions',
      operation: 'ingestions.read',
      tag,
      summary: 'Ingestions of a project, newest first',
      query: Type.Object({ datasetId: Type.String({ minLength: 1, maxLength: 255 }), ...pageQuery }),
      answers: { 200: { schema: pageOf(ingestionShape), description: 'Newest first' } },
      locate: ({ query }) => locateProject(projects, query.datasetId),
      handle: async ({ resource, query, caller }) => {
        const list = { path: '/v1/ingestions', query, scope: `ingestions:${resource.id}:${caller.userId}` };
        const page = pages.read(query, list.scope);
        const rows = await ingestions.list(caller, resource, page);
        return pages.answer(
          rows,
          page,
          list,
          (row) => [row.id],
          (row) => viewOfIngestion(row, caller),
        );
      },
    }),
    route({
      method: 'GET',
      path: '/v1/ingestions/:id',
      operation: 'ingestions.read',
      tag,
      summary: 'State, progress and warnings of an ingestion',
      params: idParam,
      answers: { 200: { schema: ingestionShape, description: 'The ingestion' } },
      locate: locateToRead,
      handle: async ({ resource, caller }) => viewOfIngestion(resource, caller),
    }),
    route({
      method: 'DELETE',
      path: '/v1/ingestions/:id',
      operation: 'ingestions.cancel',
      neverTurnedAway: true,
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
