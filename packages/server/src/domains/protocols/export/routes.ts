import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import type { AlsoNeeded, Located } from '../../../api/route.ts';
import { Answer, type Route, route } from '../../../api/route.ts';
import {
  countOf,
  idOf,
  idParam,
  optionalText,
  textOf,
  timestampShape,
  waitingShape,
} from '../../../api/shapes.ts';
import { invalidInput, notFound } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { ExportsTable } from '../../../platform/records/schema-lake.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { type Lake, lakeTag, locateTables, rowAccessOf, tablesOf } from '../../lake/index.ts';
import type { DirectRows } from '../../queries/index.ts';
import { type Exports, partsMax } from './exports.ts';
import { fhirParts, typesStatement } from './fhir-parts.ts';
import { studyChoice } from './study-choice.ts';
import { studyParts } from './study-parts.ts';
import { type SampleOfSet, samplesStatement, vcfParts } from './vcf-parts.ts';

interface ExportRouteDeps {
  records: Records;
  exports: Exports;
  lake: Lake;
  rows: DirectRows;
  projects: Projects;
  /** Finds the right that reading a cohort needs; undefined for an unknown one. */
  cohortNeeds: (id: string) => Promise<AlsoNeeded | undefined>;
  /** Address of the service; empty: the one that the client used. */
  publicUrl: () => string;
  countsMin: number;
}

/** Seconds after which a client asks again. */
const askAgainS = '2';
const cohortShape = Type.Optional(idOf('Only patients of this cohort'));
const started = Type.Object({ exportId: textOf('Id of the export') }, { title: 'StartedExport' });
const progressShape = Type.Object(
  {
    done: countOf('Files that are written'),
    parts: countOf('Files of the export'),
    waiting: waitingShape(timestampShape),
  },
  { title: 'ExportProgress' },
);
const manifestShape = Type.Object(
  {
    transactionTime: timestampShape,
    request: textOf('Address of the request that started it'),
    requiresAccessToken: Type.Boolean({ description: '`false`: the addresses are signed' }),
    output: Type.Array(
      Type.Object({
        type: textOf('FHIR type of the resources, `VCF`, or `study`'),
        url: textOf('Address of the file; valid for `PLOIDY_SIGNED_URL_LIFE`'),
        fileId: textOf('Id of the file in the project'),
        name: textOf('Last part of the name of the file'),
        count: Type.Optional(countOf('Resources in the file')),
        sampleId: optionalText('Sample of a VCF'),
      }),
      { description: 'Files with rows' },
    ),
    error: Type.Array(Type.Unknown(), { description: 'Always empty: an export has all files or fails' }),
  },
  { title: 'ExportManifest' },
);

/** Routes that export a project, and follow and cancel its exports. */
export function exportRoutes(deps: ExportRouteDeps): Route[] {
  return [fhirRoute(deps), vcfRoute(deps), stateRoute(deps), deleteRoute(deps)];
}

const startedAnswer = {
  202: { schema: started, description: 'Export that runs; its state is at `Content-Location`' },
};

function fhirRoute(deps: ExportRouteDeps): Route {
  const { exports, rows, publicUrl } = deps;
  return route({
    method: 'GET',
    path: '/v1/projects/:id/fhir/$export',
    operation: 'exports.create',
    tag: lakeTag,
    summary: 'Export resources as FHIR Bulk Data',
    description:
      'A file of NDJSON for each type of resource in `resource`. Resources that the caller sees masked are left out.',
    headers: ['Prefer'],
    params: idParam,
    query: Type.Object({
      _type: Type.Optional(
        Type.String({ maxLength: 4096, description: 'FHIR types with commas between them' }),
      ),
      _since: Type.Optional(
        Type.String({
          maxLength: 40,
          description: 'Only resources whose `meta.lastUpdated` is not before',
        }),
      ),
      _outputFormat: Type.Optional(
        Type.String({
          enum: ['application/fhir+ndjson', 'application/ndjson', 'ndjson'],
          description: 'Format of the files: NDJSON only',
        }),
      ),
      cohort: cohortShape,
    }),
    answers: startedAnswer,
    locate: ({ params, query }) => locateExported(deps, params.id, query.cohort),
    handle: async ({ resource, query, caller, requestId, signal, headers, method, url }) => {
      // A page of another site could start it otherwise, as could HEAD.
      if (method !== 'GET' || !/\brespond-async\b/.test(String(headers['prefer'])))
        throw invalidInput([{ path: 'headers/prefer', message: 'must be respond-async' }]);
      const by = { caller, requestId, signal };
      const choice = { types: query._type, since: query._since, cohort: query.cohort };
      const hasResources = (await visibleTables(deps, resource, caller)).has('resource');
      const types = hasResources ? await rows.all(resource, typesStatement(choice), partsMax, by) : [];
      const parts = fhirParts(
        types.map(([type]) => String(type)),
        choice,
      );
      const address = publicUrl();
      return startedAt(address, await exports.start(resource, `${address}${url}`, parts, by));
    },
  });
}

function vcfRoute(deps: ExportRouteDeps): Route {
  const { exports, rows, publicUrl } = deps;
  return route({
    method: 'POST',
    path: '/v1/projects/:id/exports',
    operation: 'exports.create',
    tag: lakeTag,
    summary: 'Export variants as a VCF for each sample, or a study folder',
    description: `A VCF 4.2 for each sample of each ingested file, ${partsMax} at most. Samples that the caller sees masked are left out. A study folder of cBioPortal has what the caller sees, masked values included.`,
    params: idParam,
    body: Type.Object(
      {
        format: Type.Union([Type.Literal('vcf'), Type.Literal('cbioportal')], {
          description: '`vcf`: a file for each sample; `cbioportal`: the files of a study folder',
        }),
        sampleIds: Type.Optional(
          Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
            minItems: 1,
            maxItems: partsMax,
            description: 'Only these samples; for `vcf`',
          }),
        ),
        cohort: cohortShape,
      },
      { additionalProperties: false },
    ),
    answers: startedAnswer,
    locate: ({ params, body }) => locateExported(deps, params.id, body.cohort),
    handle: async ({ resource, body, caller, requestId, signal, url }) => {
      const by = { caller, requestId, signal };
      const tables = await visibleTables(deps, resource, caller);
      const address = publicUrl();
      if (body.format === 'cbioportal') {
        const genomeBuild = await buildOf(deps.records, resource.id);
        const choice = await studyChoice(rows, resource, { tables, genomeBuild, cohort: body.cohort }, by);
        return startedAt(address, await exports.start(resource, `${address}${url}`, studyParts(choice), by));
      }
      const found = tables.has('variant')
        ? await rows.all(resource, samplesStatement(body), partsMax + 1, by)
        : [];
      const samples = await withBuilds(deps.records, resource.id, found as [string, string][]);
      const parts = vcfParts(samples, tables.has('variant_call'));
      return startedAt(address, await exports.start(resource, `${address}${url}`, parts, by));
    },
  });
}

function stateRoute(deps: ExportRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/exports/:id',
    operation: 'exports.readOwn',
    tag: lakeTag,
    summary: 'State of an export',
    description: '422 `EXPORT_FAILED` if a file could not be written.',
    params: idParam,
    answers: {
      200: { schema: manifestShape, description: 'Manifest of a complete export' },
      202: { schema: progressShape, description: 'Export that runs; ask again after `Retry-After` seconds' },
    },
    handle: async ({ params, caller }) => {
      const state = await deps.exports.state(await ownExport(deps, params.id, caller), caller);
      if ('manifest' in state) return state.manifest;
      const progress = `${state.done} of ${state.parts} files`;
      return new Answer(202, state, { 'x-progress': progress, 'retry-after': askAgainS });
    },
  });
}

function deleteRoute(deps: ExportRouteDeps): Route {
  return route({
    method: 'DELETE',
    path: '/v1/exports/:id',
    operation: 'exports.deleteOwn',
    neverShed: true,
    tag: lakeTag,
    summary: 'Cancel an export, or delete its files',
    params: idParam,
    answers: { 202: { schema: started, description: 'Export that is gone, with its files' } },
    handle: async ({ params, caller, requestId, signal }) => {
      const record = await ownExport(deps, params.id, caller);
      await deps.exports.delete(record, { caller, requestId, signal });
      return { exportId: record.id };
    },
  });
}

async function locateExported(
  { projects, cohortNeeds }: ExportRouteDeps,
  id: string,
  cohort: string | undefined,
): Promise<Located<ProjectRecord> | undefined> {
  const located = await locateTables(projects, id);
  if (!located || cohort === undefined) return located;
  const needed = await cohortNeeds(cohort);
  const isSame = needed?.attributes.account === located.attributes.account;
  return needed && isSame ? { ...located, also: [needed] } : undefined;
}

/** Finds an export of the caller in a project that is there. */
async function ownExport(
  { exports, projects }: ExportRouteDeps,
  id: string,
  caller: Caller,
): Promise<ExportsTable> {
  const record = await exports.find(id, caller.userId);
  if (!record || !caller.isMember(record.account_id) || !(await projects.find(record.project_id)))
    throw notFound();
  return record;
}

async function visibleTables(
  { lake, countsMin }: ExportRouteDeps,
  project: ProjectRecord,
  caller: Caller,
): Promise<ReadonlySet<string>> {
  const snapshot = await lake.snapshot(project.id, rowAccessOf(caller, tablesOf(project), countsMin));
  return new Set(snapshot.tables.keys());
}

/** Adds the genome builds. A set whose id is masked is no set of the project and is left out. */
async function withBuilds(
  records: Records,
  project: string,
  found: readonly [sample: string, set: string][],
): Promise<SampleOfSet[]> {
  const sets = await records.read
    .selectFrom('segments')
    .select(['ingestion_id', 'genome_build'])
    .where('project_id', '=', project)
    .where('table_name', '=', 'variant')
    .execute();
  const builds = new Map(sets.map((set) => [set.ingestion_id, set.genome_build]));
  return found.flatMap(([sampleId, setId]) => {
    const genomeBuild = builds.get(setId);
    return genomeBuild === undefined ? [] : [{ sampleId, setId, genomeBuild }];
  });
}

/** Returns the genome build of a project's positions; null if unknown, or several. */
async function buildOf(records: Records, project: string): Promise<string | null> {
  const found = await records.read
    .selectFrom('segments')
    .select('genome_build')
    .distinct()
    .where('project_id', '=', project)
    .where('removed_version', 'is', null)
    .where('genome_build', 'is not', null)
    .limit(2)
    .execute();
  return found.length === 1 ? (found[0]?.genome_build ?? null) : null;
}

const startedAt = (address: string, exportId: string): Answer =>
  new Answer(202, { exportId }, { 'content-location': `${address}/v1/exports/${exportId}` });
