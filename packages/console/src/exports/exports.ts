import { queryOptions } from '@tanstack/react-query';
import { api, take } from '../api/client.ts';
import type { Shape } from '../api/lists.ts';
import { keptAs } from '../api/place.ts';

export type ExportFormat = 'fhir' | 'vcf' | 'cbioportal';

export interface ExportScope {
  project: string;
  /** Id of the cohort whose subjects are exported; all of the project when absent. */
  cohort?: string | undefined;
}

/** Starts an export. Resolves to its id. */
export async function startExport(
  { project: id, cohort }: ExportScope,
  format: ExportFormat,
): Promise<string> {
  const chosen = cohort === undefined ? {} : { cohort };
  const { exportId } = await (format !== 'fhir'
    ? take(api.POST('/v1/projects/{id}/exports', { params: { path: { id } }, body: { format, ...chosen } }))
    : take(
        api.GET('/v1/projects/{id}/fhir/$export', {
          params: { path: { id }, query: chosen },
          headers: { prefer: 'respond-async' },
        }),
      ));
  return exportId;
}

/** Pause between two looks at an export that runs. */
const refreshMs = 2000;

type ExportState = { done: number; parts: number } | Shape<'ExportManifest'>;

/** Progress of an export, or its files. */
export const exportState = (id: string) =>
  queryOptions({
    queryKey: ['export', id],
    queryFn: async () =>
      (await take(api.GET('/v1/exports/{id}', { params: { path: { id } } }))) as ExportState,
    enabled: id !== '',
    refetchInterval: ({ state: { data, error } }) =>
      error !== null || (data !== undefined && 'output' in data) ? false : refreshMs,
  });

/** Cancels an export, or deletes its files. */
export const dropExport = (id: string): Promise<unknown> =>
  take(api.DELETE('/v1/exports/{id}', { params: { path: { id } } }));

const keyOf = ({ project, cohort }: ExportScope): string => keptAs(`export-${project}-${cohort ?? ''}`);

/** The export that this tab started last; empty when there is none. */
export const lastExport = (scope: ExportScope): string => sessionStorage.getItem(keyOf(scope)) ?? '';

/** Keeps an export, so that a dialogue opened again shows it; an empty id forgets it. */
export function keepExport(scope: ExportScope, id: string): void {
  if (id === '') sessionStorage.removeItem(keyOf(scope));
  else sessionStorage.setItem(keyOf(scope), id);
}
