import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { type Pages, pageQuery } from '../../../api/paging.ts';
import { type Route, route } from '../../../api/route.ts';
import { optionalText, projectIdShape, textOf } from '../../../api/shapes.ts';
import type { Records } from '../../../platform/records/records.ts';
import { type Audit, actor } from '../../audit/index.ts';
import type { Projects } from '../../files/projects/index.ts';
import { countsMinOf, derivationOf, type Lake, type RowRights } from '../../lake/index.ts';
import { type CohortDoor, locate, smallCountsOnly, tablesOf } from '../analytics/index.ts';
import { Cells } from './cells.ts';
import { geneTextMax, readGenes } from './gene-language/read-genes.ts';
import { type Node, nodeShape } from './node.ts';
import { answerShape, anyObject, common, describedQueryShape, queryShape } from './query-shapes.ts';
import { readStudy, type StudyRequest } from './read-study.ts';
import { attributeShape } from './results.ts';
import type { Asking, Study } from './study.ts';

const tag = 'Analytics';

interface StudyRouteDeps {
  records: Records;
  study: Study;
  lake: Lake;
  rights: RowRights;
  projects: Projects;
  cohorts: CohortDoor;
  audit: Audit;
  pages: Pages;
  /** Key of the rounding of small counts. */
  countsKey: Uint8Array;
}

/** Routes of /v1/analytics/study. */
export function studyRoutes(deps: StudyRouteDeps): Route[] {
  return [queryRoute(deps), attributesRoute(deps), subjectsRoute(deps), parseRoute()];
}

function queryRoute(deps: StudyRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/v1/analytics/study/query',
    onlyReads: true,
    operation: 'study.query',
    tag,
    summary: 'Aggregate the samples or patients of a project that pass a filter',
    description:
      'All results are about one version of the data. An aggregate that cannot be computed has an `error`; the others have results.',
    body: queryShape,
    // The handler validates trees, with a path for each error.
    described: { body: describedQueryShape },
    answers: { 200: { schema: answerShape, description: 'Results of all aggregates' } },
    locate: async ({ body }, _account, caller) => {
      const request = readStudy(body);
      const located = await locateStudy(body.datasetId, request, deps, caller);
      return located && { ...located, record: { ...located.record, request } };
    },
    handle: async ({ resource, caller, requestId, signal }) => {
      const began = performance.now();
      const { request } = resource;
      const asking = await askingOf(resource, deps, caller, signal);
      const { version, access } = asking.project;
      const answer = await deps.study.answer(request, asking);
      const kinds = new Set(request.aggregates.map(({ kind }) => kind));
      await record(deps, resource.account, asking, { caller, requestId }, 'study.query', {
        aggregates: [...kinds].join(','),
      });
      return {
        version,
        ...answer,
        ...(asking.cells.hides && { roundedTo: access.countsMin }),
        tookMs: Math.round(performance.now() - began),
      };
    },
  });
}

function attributesRoute(deps: StudyRouteDeps): Route {
  return route({
    method: 'GET',
    path: '/v1/analytics/study/attributes',
    operation: 'study.attributes',
    tag,
    summary: 'List the attributes of patients and samples that have values in a project',
    query: Type.Object({ datasetId: projectIdShape }),
    answers: {
      200: {
        schema: Type.Object(
          {
            attributes: Type.Array(attributeShape, {
              description: 'Attributes that a study defines, then columns of tables',
            }),
            deriving: Type.Optional(
              Type.Object(
                {
                  done: Type.Integer({ description: 'Versions that are done' }),
                  of: Type.Integer({ description: 'Versions before the upgrade' }),
                },
                {
                  description:
                    'Set while alterations of files from before an upgrade are being derived: genes lack them',
                },
              ),
            ),
          },
          { title: 'StudyAttributes' },
        ),
        description: 'Attributes',
      },
    },
    locate: ({ query }, _account, caller) => locateStudy(query.datasetId, { cohortIds: [] }, deps, caller),
    handle: async ({ resource, caller, signal }) => {
      const asking = await askingOf(resource, deps, caller, signal);
      const deriving = await derivationOf(deps.records.read, asking.project.id);
      return { ...(await deps.study.attributes(asking)), ...(deriving && { deriving }) };
    },
  });
}

const subjectShape = Type.Object(
  { sampleId: optionalText('Id of the sample'), patientId: optionalText('Id of its patient') },
  { title: 'StudySubject', description: 'Sample, or patient' },
);

function subjectsRoute(deps: StudyRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/v1/analytics/study/subjects',
    onlyReads: true,
    operation: 'study.subjects',
    tag,
    summary: 'List the ids of samples or patients of a project that pass a filter',
    body: Type.Object({ ...common, filter: Type.Optional(anyObject), ...pageQuery }),
    described: { body: Type.Object({ ...common, filter: Type.Optional(nodeShape), ...pageQuery }) },
    answers: {
      200: {
        schema: Type.Object({
          items: Type.Array(subjectShape, { description: 'In the order of the ids' }),
          nextPageToken: optionalText('`nextPageToken` of the following page; absent on the last'),
        }),
        description: 'A page of subjects',
      },
    },
    locate: async ({ body }, _account, caller) => {
      const request = readStudy({ unit: body.unit, filter: body.filter });
      const located = await locateStudy(body.datasetId, request, deps, caller);
      return located && { ...located, record: { ...located.record, request } };
    },
    handle: async ({ resource, body, caller, requestId, signal }) => {
      const asking = await askingOf(resource, deps, caller, signal);
      if (asking.cells.hides) throw smallCountsOnly();
      const { request } = resource;
      const { id, version, access } = asking.project;
      const scope = JSON.stringify(['study', caller.userId, id, version, access, request]);
      const { size, after } = deps.pages.read(body, scope);
      const rows = await deps.study.subjects(
        request,
        { rowsMax: size + 1, after: after && String(after[0]) },
        asking,
      );
      const items = rows.slice(0, size);
      const last = items.at(-1);
      const next = request.unit === 'sample' ? last?.sampleId : last?.patientId;
      await record(deps, resource.account, asking, { caller, requestId }, 'study.subjects', {
        subjects: items.length,
      });
      return {
        items,
        ...(rows.length > size && next !== undefined && { nextPageToken: deps.pages.token([next], scope) }),
      };
    },
  });
}

function parseRoute(): Route {
  return route({
    method: 'POST',
    path: '/v1/analytics/study/parse',
    onlyReads: true,
    operation: 'study.parse',
    tag,
    summary: 'Parse lines of genes into a filter',
    description: 'Such as `BRAF: MUT = V600E AMP` or `TP53: TRUNC AND NOT KRAS`: docs/analytics.md.',
    body: Type.Object({
      text: Type.String({ maxLength: geneTextMax, description: 'Lines, which are alternatives' }),
    }),
    answers: {
      200: {
        schema: Type.Object(
          {
            filter: Type.Optional(
              Type.Unsafe<Node>({
                type: 'object',
                additionalProperties: true,
                'x-described': nodeShape,
              }),
            ),
            error: Type.Optional(
              Type.Object(
                {
                  at: Type.Integer({ description: 'Place in the text, from 0' }),
                  length: Type.Integer({ description: 'Characters that are wrong' }),
                  message: textOf('Reason'),
                  suggestion: optionalText('Word that was probably meant'),
                },
                { description: 'First error of the text' },
              ),
            ),
          },
          { title: 'StudyLines' },
        ),
        description: 'Filter, or error with its place',
      },
    },
    handle: async ({ body }) => readGenes(body.text),
  });
}

/** Records a request in the audit log. */
function record(
  { audit }: StudyRouteDeps,
  account: string,
  { project: { id, access } }: Asking,
  { caller, requestId }: { caller: Caller; requestId: string },
  action: 'study.query' | 'study.subjects',
  details: Record<string, string | number>,
): Promise<void> {
  return audit.record({
    account,
    ...actor(caller, requestId),
    action,
    resource: { type: 'table', dataset: id },
    outcome: 'done',
    details: { ...details, masked: access.real === false },
  });
}

/** Finds the project, and requires the cohorts of a filter to be readable. */
function locateStudy(
  datasetId: string,
  { cohortIds }: Pick<StudyRequest, 'cohortIds'>,
  { projects, cohorts }: StudyRouteDeps,
  caller: Caller,
): ReturnType<typeof locate> {
  return locate({ datasetId, cohortId: undefined, cohortIds }, { projects, cohorts }, caller);
}

/** Pins the present version under the caller's rights, with counts as the caller may see them. */
async function askingOf(
  { account, projectIds, cohortParts, asked }: AboutStudy,
  { lake, rights, cohorts, countsKey }: StudyRouteDeps,
  caller: Caller,
  signal: AbortSignal,
): Promise<Asking> {
  const [id = ''] = projectIds;
  for (const cohort of asked.cohortIds) await cohorts.recount(cohort, signal);
  const access = rights.accessOf(caller, tablesOf(account, id));
  const project = await lake.pin(id, access);
  const cells = new Cells(countsMinOf(access) ?? 0, Buffer.concat([countsKey, Buffer.from(id)]));
  return { project, cells, cohortParts, caller: caller.userId, signal };
}

type AboutStudy = NonNullable<Awaited<ReturnType<typeof locate>>>['record'];
