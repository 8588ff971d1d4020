import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { type Route, route } from '../../../api/route.ts';
import { countOf, idOf, idParam, optionalText, textOf, timestampShape } from '../../../api/shapes.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { lakeTag, locateTables } from '../dataset-tables.ts';
import type { SourceList } from './source-list.ts';

const sourceShape = Type.Object(
  {
    id: idOf('Id of the ingestion that read the file'),
    kind: textOf('Kind of the file, such as `clinvar`'),
    source: textOf('Name of the source'),
    version: optionalText('Version; absent: not known'),
    released: optionalText('Date of the release; absent: not known'),
    genomeBuild: optionalText('Genome build of its positions; absent: none, or not known'),
    rows: countOf('Alleles and values'),
    isUsed: Type.Boolean({ description: 'False for a release that a newer one replaced' }),
    isOfService: Type.Boolean({ description: 'True for sources of the whole service' }),
    ingested: timestampShape,
  },
  { title: 'AnnotationSource' },
);

const fillingShape = Type.Object(
  {
    state: Type.String({
      enum: ['done', 'running', 'paused'],
      description: 'Answers of queries are the same in each, only slower before `done`',
    }),
    rowsDone: countOf('Rows of `variant` that have the values of the present sources'),
    rowsTotal: countOf('Rows of `variant` that get values'),
  },
  { title: 'AnnotationFilling', description: 'Filling of the variants of a project' },
);

interface SourceRouteDeps {
  sources: SourceList;
  projects: Projects;
  pages: Pages;
}

/** Routes of the annotation sources of projects. */
export function annotationSourceRoutes({ sources, projects, pages }: SourceRouteDeps): Route[] {
  const locate = ({ params }: { params: { id: string } }) => locateTables(projects, params.id);
  return [
    route({
      method: 'GET',
      path: '/v1/projects/:id/annotation-sources',
      operation: 'annotations.list',
      tag: lakeTag,
      summary: 'List the annotation sources of a project, with their releases',
      params: idParam,
      query: Type.Object({ ...pageQuery }),
      answers: {
        200: {
          schema: Type.Object({ ...pageOf(sourceShape).properties, filling: fillingShape }),
          description: 'Sources of the project, then those of the service, and the filling of its variants',
        },
      },
      locate,
      handle: async ({ resource, query, caller }) => {
        const path = `/v1/projects/${resource.id}/annotation-sources`;
        const list = { path, query, scope: `annotation-sources:${resource.id}:${caller.userId}` };
        const page = pages.read(query, list.scope);
        const all = await sources.list(resource.id);
        const start = page.after ? all.findIndex(({ id }) => id === page.after?.[0]) + 1 : 0;
        const rows = all.slice(start, start + page.size + 1);
        const answer = pages.answer(
          rows,
          page,
          list,
          (row) => [row.id],
          (row) => row,
        );
        return { ...answer, filling: await sources.filling(resource.id) };
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/projects/:id/annotation-filling',
      operation: 'annotations.pause',
      tag: lakeTag,
      summary: 'Pause the filling of variants with annotations, or go on',
      description: 'The file at work is filled to its end. Queries have the same answers meanwhile.',
      params: idParam,
      body: Type.Object({ isPaused: Type.Boolean({ description: 'True to pause' }) }),
      answers: { 200: { schema: fillingShape, description: 'The filling' } },
      locate,
      handle: async ({ resource, body, caller, requestId }) => {
        await sources.pause(resource as ProjectRecord, body.isPaused, { caller, requestId });
        return sources.filling(resource.id);
      },
    }),
  ];
}
