import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { smartScopesIn } from '../../../access/smart-scopes.ts';
import { type Answer, type Located, type Route, route } from '../../../api/route.ts';
import { idParam } from '../../../api/shapes.ts';
import { invalidInput, notFound, Problem } from '../../../base/problem.ts';
import type { ExportsTable } from '../../../platform/records/schema-lake.ts';
import type { ProjectRecord } from '../../files/projects/index.ts';
import { lakeTag, tablesOf } from '../../lake/index.ts';
import { fhirRoot, inProject } from '../fhir/addresses.ts';
import { requireSingleRows } from '../fhir/limited-readers.ts';
import { fhirErrors, fhirProblem } from '../fhir/outcome.ts';
import { type NewPart, partsMax, partsOf } from './exports.ts';
import { fhirParts, maskedFhirParts, type ResourceChoice, typesStatement } from './fhir-parts.ts';
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

const idOf = (description: string) => Type.String({ minLength: 1, maxLength: 255, description });

/** Parameters of Bulk Data Access 2.0 that would choose fewer resources: leaving one out would export too much. */
const notOffered = [
  '_elements',
  '_typeFilter',
  'patient',
  'includeAssociatedData',
  'organizeOutputBy',
  '_until',
];

const bulkQuery = {
  _type: Type.Optional(Type.String({ maxLength: 4096, description: 'FHIR types with commas between them' })),
  _since: Type.Optional(
    Type.String({ maxLength: 40, description: 'Only resources whose `meta.lastUpdated` is not before' }),
  ),
  _outputFormat: Type.Optional(
    Type.String({
      enum: ['application/fhir+ndjson', 'application/ndjson', 'ndjson'],
      description: 'Format of the files: NDJSON only',
    }),
  ),
};

const described = {
  method: 'GET',
  operation: 'exports.createFhir',
  description:
    'A file of NDJSON for each type of resource in `resource`. Callers who see all resources masked get those of the masked tables; for others, resources that they see masked are left out.',
  headers: ['Prefer'],
} as const;
const inFhir = { tag: 'FHIR', problemPage: fhirProblem, crossOrigin: true, smart: true } as const;
const startedInFhir = { ...startedAnswer, ...fhirErrors };

/** Routes of FHIR Bulk Data: all resources of a project, those of patients, or those of a group. */
export function bulkRoutes(deps: ExportRouteDeps): Route[] {
  return [
    route({
      ...described,
      path: '/v1/projects/:id/fhir/$export',
      tag: lakeTag,
      summary: 'Export resources as FHIR Bulk Data',
      params: idParam,
      query: Type.Object({ ...bulkQuery, cohort: cohortShape }),
      answers: startedAnswer,
      locate: ({ params, query }) => locateExported(deps, params.id, query.cohort),
      handle: (context) => kickOff(deps, context, { cohort: context.query.cohort }, '/v1/exports'),
    }),
    route({
      ...described,
      ...inFhir,
      path: `${fhirRoot}/$export`,
      summary: 'Export all resources (Bulk Data)',
      params: Type.Object(inProject),
      query: Type.Object(bulkQuery),
      answers: startedInFhir,
      locate: ({ params }) => locateIn(deps, params),
      handle: (context) => kickOff(deps, context, {}, placeOf(context.params)),
    }),
    route({
      ...described,
      ...inFhir,
      path: `${fhirRoot}/Patient/$export`,
      summary: 'Export the resources of all patients (Bulk Data)',
      params: Type.Object(inProject),
      query: Type.Object(bulkQuery),
      answers: startedInFhir,
      locate: ({ params }) => locateIn(deps, params),
      handle: (context) => kickOff(deps, context, { ofPatients: true }, placeOf(context.params)),
    }),
    route({
      ...described,
      ...inFhir,
      path: `${fhirRoot}/Group/:id/$export`,
      summary: 'Export the resources of the patients of a cohort (Bulk Data)',
      params: Type.Object({ ...inProject, id: idOf('Id of the cohort') }),
      query: Type.Object(bulkQuery),
      answers: startedInFhir,
      locate: ({ params }) => locateIn(deps, params, params.id),
      handle: (context) => kickOff(deps, context, { cohort: context.params.id }, placeOf(context.params)),
    }),
    ...stateRoutes(deps),
  ];
}

function stateRoutes(deps: ExportRouteDeps): Route[] {
  const params = Type.Object({ ...inProject, id: idOf('Id of the export') });
  const own = async (
    { account, project, id }: { account: string; project: string; id: string },
    caller: Caller,
  ) => {
    const record = await ownExport(deps, id, caller);
    if (record.account_id !== account || record.project_id !== project) throw notFound();
    if (!coversExport(caller, record)) throw notFound();
    return record;
  };
  return [
    route({
      ...inFhir,
      method: 'GET',
      path: `${fhirRoot}/$export/:id`,
      operation: 'exports.readOwn',
      summary: 'Get the state of a Bulk Data export',
      params,
      answers: {
        200: { schema: manifestShape, description: 'Manifest of a complete export' },
        202: {
          schema: progressShape,
          description: 'Export that runs; ask again after `Retry-After` seconds',
        },
        ...fhirErrors,
      },
      handle: async ({ params: named, caller }) => stateAnswer(deps, await own(named, caller), caller),
    }),
    route({
      ...inFhir,
      method: 'DELETE',
      path: `${fhirRoot}/$export/:id`,
      operation: 'exports.deleteOwn',
      neverShed: true,
      summary: 'Cancel a Bulk Data export, or delete its files',
      params,
      answers: {
        202: { schema: started, description: 'Export that is gone, with its files' },
        ...fhirErrors,
      },
      handle: async ({ params: named, caller, requestId, signal }) => {
        const record = await own(named, caller);
        await deps.exports.delete(record, { caller, requestId, signal });
        return { exportId: record.id };
      },
    }),
  ];
}

const placeOf = ({ account, project }: { account: string; project: string }): string =>
  `/${account}/v1/fhir/${project}/$export`;

async function locateIn(
  deps: ExportRouteDeps,
  { account, project }: { account: string; project: string },
  cohort?: string,
): Promise<Located<ProjectRecord> | undefined> {
  const located = await locateExported(deps, project, cohort);
  return located?.record.account === account ? located : undefined;
}

interface KickOff {
  resource: ProjectRecord;
  query: { _type?: string; _since?: string };
  caller: Caller;
  requestId: string;
  signal: AbortSignal;
  headers: Record<string, string | string[] | undefined>;
  method: string;
  url: string;
}

/** Starts an export. `place`: path under which its state is. */
async function kickOff(
  deps: ExportRouteDeps,
  { resource, query, caller, requestId, signal, headers, method, url }: KickOff,
  level: Pick<ResourceChoice, 'cohort' | 'ofPatients'>,
  place: string,
): Promise<Answer> {
  // A page of another site could start it otherwise, as could HEAD.
  if (method !== 'GET' || !/\brespond-async\b/.test(String(headers['prefer'])))
    throw invalidInput([{ path: 'headers/prefer', message: 'must be respond-async' }]);
  refuseNotOffered(url);
  const by = { caller, requestId, signal };
  const choice = { types: typesInScope(caller, query._type), since: query._since, ...level };
  const parts = await partsFor(deps, resource, choice, by);
  const address = deps.publicUrl();
  const id = await deps.exports.start(resource, `${address}${url}`, parts, by);
  return startedAt(`${address}${place}`, id);
}

/** Lists the files of an export, by what the caller sees of the resources. */
async function partsFor(
  deps: ExportRouteDeps,
  project: ProjectRecord,
  choice: ResourceChoice,
  by: Pick<KickOff, 'caller' | 'requestId' | 'signal'>,
): Promise<NewPart[]> {
  const tables = await visibleTables(deps, project, by.caller);
  if (by.caller.rows('lake.read', tablesOf(project)) === false) {
    requireSingleRows(deps.countsMin);
    return maskedFhirParts(tables, choice);
  }
  if (!tables.has('resource')) return [];
  const types = await deps.rows.all(project, typesStatement(choice), partsMax, by);
  return fhirParts(
    types.map(([type]) => String(type)),
    choice,
  );
}

/** Returns the types of an export: those of the token where the request names none. Problem 403 beyond the token. */
function typesInScope(caller: Caller, asked: string | undefined): string | undefined {
  if (caller.resource === undefined) return asked;
  // Conditions of scopes choose resources, and files have whole types.
  const types = exportedTypes(caller);
  const isAll = types.includes('*');
  const beyond = asked?.split(',').find((type) => !isAll && !types.includes(type.trim()));
  if (beyond !== undefined || types.length === 0)
    throw new Problem(
      403,
      'FORBIDDEN',
      `The token has no scope to export ${beyond ?? 'resources'}: ask for system/*.rs.`,
    );
  return asked ?? (isAll ? undefined : types.join(','));
}

/** Lists the types that a token of SMART may export: those of scopes for all patients, without conditions. */
const exportedTypes = ({ scope = '' }: Caller): string[] =>
  smartScopesIn(scope).flatMap(({ level, reads, searches, query, type }) =>
    level !== 'patient' && reads && searches && query === '' ? [type] : [],
  );

/** Reports whether a credential may follow an export: its files may be of types beyond the scopes of a token. */
function coversExport(caller: Caller, { parts }: ExportsTable): boolean {
  if (caller.resource === undefined) return true;
  const types = exportedTypes(caller);
  return types.includes('*') || partsOf({ parts }).every(({ type }) => types.includes(type));
}

function refuseNotOffered(url: string): void {
  const names = new URLSearchParams(url.slice(url.indexOf('?') + 1));
  const details = notOffered
    .filter((name) => names.has(name))
    .map((name) => ({ path: `query/${name}`, message: 'is not offered: leave it out' }));
  if (details.length > 0) throw invalidInput(details);
}
