import { pages } from '@ploidy/client';
import { queryOptions } from '@tanstack/react-query';
import { all, api, take } from '../api/client.ts';
import type { Shape } from '../api/lists.ts';

export type ReportItem = Shape<'ReportItem'>;
export type Report = Shape<'Report'>;
export type Part = Report['parts'][number];
export type Figure = Extract<Part, { kind: 'figure' }>;
/** Figure as the service takes it: it notes the keeper itself. */
export type NewFigure = Omit<Figure, 'kept'>;
/** Fields that a person writes. */
export interface ReportFields {
  name: string;
  description?: string;
  shared: boolean;
  parts: (Part | NewFigure)[];
}

/** Own and shared reports of a project, without their parts. */
export const reportsOf = (projectId: string) =>
  queryOptions({
    queryKey: ['reports', projectId],
    queryFn: () =>
      all(
        pages((nextPageToken) => {
          const params = { path: { projectId }, query: { pageSize: 1000, nextPageToken } };
          return api.GET('/v1/projects/{projectId}/reports', { params });
        }),
      ),
  });

const at = (projectId: string, reportId: string) => ({ path: { projectId, reportId } });

/** One report with its parts and the tag of its state. */
export const reportOf = (project: string, id: string) =>
  queryOptions({
    queryKey: ['reports', project, id],
    queryFn: async (): Promise<Report & { etag: string }> => {
      const { data, response } = await api.GET('/v1/projects/{projectId}/reports/{reportId}', {
        params: at(project, id),
      });
      return { ...(data as Report), etag: response.headers.get('etag') ?? '' };
    },
    retry: false,
  });

/** Makes a report. */
export const makeReport = (projectId: string, body: ReportFields): Promise<Report> =>
  take(api.POST('/v1/projects/{projectId}/reports', { params: { path: { projectId } }, body }));

/** Replaces a report that is still in the state of the tag; fails with 412 otherwise. */
export const replaceReport = (
  project: string,
  { id, etag }: { id: string; etag: string },
  body: ReportFields,
): Promise<Report> =>
  take(
    api.PUT('/v1/projects/{projectId}/reports/{reportId}', {
      params: at(project, id),
      headers: { 'if-match': etag },
      body,
    }),
  );

/** Deletes a report. */
export const removeReport = (project: string, id: string): Promise<unknown> =>
  take(api.DELETE('/v1/projects/{projectId}/reports/{reportId}', { params: at(project, id) }));

/** Returns an id for a new part. */
export const newPartId = (): string => crypto.randomUUID();
