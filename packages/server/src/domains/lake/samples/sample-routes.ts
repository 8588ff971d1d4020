import { Type } from 'typebox';
import { type Pages, pageOf, pageQuery } from '../../../api/paging.ts';
import { Answer, type Route, route } from '../../../api/route.ts';
import { countOf, idOf, idParam } from '../../../api/shapes.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { lakeTag, locateTables, tablesOf } from '../dataset-tables.ts';
import type { SampleList } from './sample-list.ts';

const samplesMax = 100_000;

const optional = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }));

const sampleShape = Type.Object(
  {
    sampleId: idOf('Name of the sample in the lake, which may be ingested later'),
    patientId: optional('Patient of the sample; absent: none'),
    specimenId: optional('Specimen of the sample'),
  },
  { title: 'LinkedSample' },
);

interface SampleRouteDeps {
  samples: SampleList;
  projects: Projects;
  pages: Pages;
}

/** Routes of the patients that people gave to samples. */
export function sampleRoutes({ samples, projects, pages }: SampleRouteDeps): Route[] {
  const locate = ({ params }: { params: { id: string } }) => locateTables(projects, params.id);
  return [
    route({
      method: 'GET',
      path: '/v1/projects/:id/samples',
      operation: 'samples.read',
      tag: lakeTag,
      summary: 'List the patients that were assigned to samples after their ingestion',
      params: idParam,
      query: Type.Object({ ...pageQuery }),
      answers: { 200: { schema: pageOf(sampleShape), description: 'By sample', etag: true } },
      locate,
      handle: async ({ resource, query, caller, signal }) => {
        const path = `/v1/projects/${resource.id}/samples`;
        const list = { path, query, scope: `samples:${resource.id}:${caller.userId}` };
        const page = pages.read(query, list.scope);
        const { rows, etag } = await samples.page(resource.id, page, caller.userId, signal);
        const answer = pages.answer(
          rows,
          page,
          list,
          (row) => [row.sampleId],
          (row) => row,
        );
        return new Answer(200, answer, { etag });
      },
    }),
    route({
      method: 'PUT',
      path: '/v1/projects/:id/samples',
      operation: 'samples.replace',
      tag: lakeTag,
      summary: 'Assign patients to samples',
      description:
        'Replaces the whole list. It decides over the patients that ingestions name, for every reader at once.',
      headers: ['If-Match'],
      params: idParam,
      body: Type.Object({
        samples: Type.Array(sampleShape, { maxItems: samplesMax, description: 'Each sample once' }),
      }),
      answers: {
        200: {
          schema: Type.Object({ samples: countOf('Number of the samples of the list') }),
          description: 'The list is replaced',
          etag: true,
        },
      },
      locate: async (input) => {
        const located = await locate(input);
        // A caller of some patients could take foreign samples for an own patient.
        return (
          located && {
            ...located,
            also: [{ operation: 'samples.read', attributes: tablesOf(located.record) }],
          }
        );
      },
      handle: async ({ resource, body, headers, caller, requestId, signal }) => {
        const by = { caller, requestId, signal };
        const etag = await samples.replace(resource as ProjectRecord, body.samples, headers, by);
        return new Answer(200, { samples: body.samples.length }, { etag });
      },
    }),
  ];
}
