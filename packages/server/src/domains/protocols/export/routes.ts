import { Type } from 'typebox';
import { type Route, route } from '../../../api/route.ts';
import { idParam } from '../../../api/shapes.ts';
import type { Records } from '../../../platform/records/records.ts';
import { lakeTag } from '../../lake/index.ts';
import { bulkRoutes } from './bulk-routes.ts';
import { partsMax } from './exports.ts';
import {
  cohortShape,
  type ExportRouteDeps,
  locateExported,
  manifestShape,
  ownExport,
  progressShape,
  started,
  startedAnswer,
  startedAt,
  stateAnswer,
  visibleTables,
} from './started-exports.ts';
import { studyChoice } from './study-choice.ts';
import { studyParts } from './study-parts.ts';
import { cohortSamplesStatement, type SampleOfSet, samplesStatement, vcfParts } from './vcf-parts.ts';

/** Routes that export a project, and follow and cancel its exports. */
export function exportRoutes(deps: ExportRouteDeps): Route[] {
  return [...bulkRoutes(deps), vcfRoute(deps), stateRoute(deps), deleteRoute(deps)];
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
        return startedAt(
          `${address}/v1/exports`,
          await exports.start(resource, `${address}${url}`, studyParts(choice), by),
        );
      }
      const { cohort } = body;
      const isOfCohort = cohort !== undefined && tables.has('sequence');
      const members = isOfCohort
        ? await rows.all(resource, cohortSamplesStatement(cohort), partsMax + 1, by)
        : undefined;
      const named = members?.map(([id]) => String(id));
      const found =
        tables.has('variant') && named?.length !== 0
          ? await rows.all(resource, samplesStatement({ ...body, named }), partsMax + 1, by)
          : [];
      const samples = await withBuilds(deps.records, resource.id, found as [string, string][]);
      const parts = vcfParts(samples, tables.has('variant_call'));
      return startedAt(`${address}/v1/exports`, await exports.start(resource, `${address}${url}`, parts, by));
    },
  });
}

function stateRoute(deps: ExportRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/exports/:id',
    operation: 'exports.readOwn',
    tag: lakeTag,
    summary: 'Get the state of an export',
    description: '422 `EXPORT_FAILED` if a file could not be written.',
    params: idParam,
    answers: {
      200: { schema: manifestShape, description: 'Manifest of a complete export' },
      202: { schema: progressShape, description: 'Export that runs; ask again after `Retry-After` seconds' },
    },
    handle: async ({ params, caller }) => stateAnswer(deps, await ownExport(deps, params.id, caller), caller),
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
