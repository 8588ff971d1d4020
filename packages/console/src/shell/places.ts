import { queryOptions } from '@tanstack/react-query';
import { type LinkOptions, linkOptions } from '@tanstack/react-router';
import { lists } from '../api/account.ts';
import { account, all, api, orNone, take } from '../api/client.ts';
import { projects } from '../api/lists.ts';
import { accountPages, projectPages } from './menu.ts';

/** Place that the search of the console finds. */
export interface Place {
  kind: 'page' | 'project' | 'gene' | 'subject' | 'cohort' | 'file' | 'saved query';
  name: string;
  link: LinkOptions;
}

const shownOfKind = 6;

const holds = (name: string, text: string): boolean => name.toLowerCase().includes(text.toLowerCase());

/** Returns the pages whose name holds a text. */
export function pagesFor(text: string, project: string | undefined): Place[] {
  const ofProject: Place[] = project
    ? projectPages.map(([name, to]) => ({
        kind: 'page',
        name,
        link: linkOptions({ to, params: { project } }),
      }))
    : [];
  const others: Place[] = accountPages.map(([name, to]) => ({
    kind: 'page',
    name,
    link: linkOptions({ to }),
  }));
  return [...ofProject, ...others].filter(({ name }) => holds(name, text));
}

interface Source {
  /** Part of the key in the cache. */
  key: string[];
  load: (signal: AbortSignal) => Promise<Place[]>;
}

/**
 * Returns the sources of places for a text: the projects and, in a project, its genes, subjects, files, cohorts and saved queries. Lists
 * that are short are read once, for all texts.
 */
export function sourcesFor(text: string, project: string | undefined): Source[] {
  const sources: Source[] = [{ key: ['projects'], load: projectPlaces }];
  if (project === undefined) return sources;
  const of = (
    kind: string,
    load: (project: string, text: string, signal: AbortSignal) => Promise<Place[]>,
  ) => ({
    key: [kind, project, text],
    load: (signal: AbortSignal) => load(project, text, signal),
  });
  return [
    of('genes', genePlaces),
    of('subjects', subjectPlaces),
    of('files', filePlaces),
    { key: ['cohorts', project], load: () => cohortPlaces(project) },
    { key: ['saved queries', project], load: () => savedPlaces(project) },
    ...sources,
  ];
}

/** Returns a source as a query; what the caller may not see is left out. */
export const placesOf = ({ key, load }: Source) =>
  queryOptions({
    queryKey: ['places', account(), ...key],
    queryFn: ({ signal }) => orNone(load(signal)),
    staleTime: 60_000,
  });

/** Returns the first places of each kind whose name holds a text. */
export function matching(places: readonly Place[], text: string): Place[] {
  const kinds = Map.groupBy(
    places.filter(({ name }) => holds(name, text)),
    ({ kind }) => kind,
  );
  return [...kinds.values()].flatMap((list) => list.slice(0, shownOfKind));
}

async function projectPlaces(): Promise<Place[]> {
  const { queryFn } = projects();
  const list = await (queryFn as () => Promise<{ id: string; name: string; deletionDate?: string }[]>)();
  return list
    .filter(({ deletionDate }) => !deletionDate)
    .map(({ id, name }) => ({
      kind: 'project',
      name,
      link: linkOptions({ to: '/projects/$project', params: { project: id } }),
    }));
}

async function genePlaces(project: string, text: string, signal: AbortSignal): Promise<Place[]> {
  const query = {
    target: 'variant',
    domain: 'aggregate' as const,
    where: { variant: { gene: [{ operator: 'startsWith', value: text.toUpperCase() }] } },
    options: { groupBy: ['gene'], limit: shownOfKind },
  };
  const { data } = await take(api.POST('/v1/analytics/dsl', { body: { datasetId: project, query }, signal }));
  const buckets = data['buckets'] as { key: { gene?: string } }[];
  return buckets.map(({ key: { gene = '' } }) => ({
    kind: 'gene',
    name: gene,
    link: linkOptions({ to: '/projects/$project/variants', params: { project }, search: { gene } }),
  }));
}

async function subjectPlaces(datasetId: string, text: string, signal: AbortSignal): Promise<Place[]> {
  const query = {
    target: 'patient',
    where: { patient: { id: [{ operator: 'contains', value: text }] } },
    options: { fields: ['id'], limit: shownOfKind },
  };
  const { data } = await take(api.POST('/v1/analytics/dsl', { body: { datasetId, query }, signal }));
  const rows = (Object.values(data).find(Array.isArray) ?? []) as { id?: unknown; patient_id?: unknown }[];
  return rows.map((row) => {
    const patient = String(row.id ?? row.patient_id);
    const params = { project: datasetId, patient };
    return {
      kind: 'subject',
      name: patient,
      link: linkOptions({ to: '/projects/$project/subjects/$patient', params }),
    };
  });
}

async function filePlaces(datasetId: string, name: string, signal: AbortSignal): Promise<Place[]> {
  const query = { datasetId, name, pageSize: shownOfKind };
  const { items } = await take(api.GET('/v1/files', { params: { query }, signal }));
  return items.map((file) => ({
    kind: 'file',
    name: file.name,
    link: linkOptions({
      to: '/projects/$project/files',
      params: { project: datasetId },
      search: { prefix: file.name.slice(0, file.name.lastIndexOf('/') + 1) },
    }),
  }));
}

async function cohortPlaces(project: string): Promise<Place[]> {
  const list = await all(lists.cohorts(project));
  return list.map(({ id, name }) => ({
    kind: 'cohort',
    name,
    link: linkOptions({
      to: '/projects/$project',
      params: { project },
      search: { filter: JSON.stringify([{ is: { cohort: id } }]), view: 'subjects' },
    }),
  }));
}

async function savedPlaces(projectId: string): Promise<Place[]> {
  const params = { path: { projectId }, query: { pageSize: 1000 } };
  const { items } = await take(api.GET('/v1/projects/{projectId}/saved-queries', { params }));
  return items.map(({ id, name }) => ({
    kind: 'saved query',
    name,
    link: linkOptions({
      to: '/projects/$project/sql',
      params: { project: projectId },
      search: { saved: id },
    }),
  }));
}
