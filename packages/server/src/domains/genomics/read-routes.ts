import type { Caller } from '../../access/caller.ts';
import type { Pages } from '../../paging.ts';
import type { ConversionOptions } from '../../platform/engine/conversion.ts';
import type { Transaction } from '../../platform/records/records.ts';
import type { FilesTable } from '../../platform/records/schema.ts';
import { notFound } from '../../problem.ts';
import { Answer, type Route, route } from '../../route.ts';
import { Type } from '../../schema.ts';
import { attributesOf, type Files } from '../files/index.ts';
import type { Projects } from '../projects/index.ts';
import { accountParam, locateAccount, locateDataset } from './dataset-routes.ts';
import type { ReadGroupSets } from './read-group-sets.ts';
import { readGroupSetShape, viewOfReadGroupSet } from './read-views.ts';
import type { ReadsRemoval } from './reads-removal.ts';
import type { ReferenceSets } from './reference-sets.ts';
import { filterShape, nextPageTokenShape, pageOfRows, readSearch, searchFields, wanted } from './search.ts';

const tag = 'Genomics';

export type By = { caller: Caller; requestId: string };

/** How the area starts and ends ingestions, which are another domain's. */
export interface ReadIngestions {
  start(file: FilesTable, options: ConversionOptions, by: By): Promise<unknown>;
  cancel(tx: Transaction, fileId: string, by: By): Promise<void>;
}

export interface ReadRouteParts {
  projects: Projects;
  files: Files;
  readGroupSets: ReadGroupSets;
  referenceSets: ReferenceSets;
  ingestions: ReadIngestions;
  removal: ReadsRemoval;
  pages: Pages;
}

const setParams = Type.Object({
  ...accountParam.properties,
  readGroupSetId: Type.String({ minLength: 1, maxLength: 255 }),
});

/** /{account}/v1/readgroupsets */
export function readRoutes(parts: ReadRouteParts): Route[] {
  const { readGroupSets, removal } = parts;
  return [
    searchRoute(parts),
    createRoute(parts),
    route({
      method: 'GET',
      path: '/:account/v1/readgroupsets/:readGroupSetId',
      operation: 'reads.read',
      tag,
      summary: 'One read group set',
      params: setParams,
      answers: { 200: { schema: readGroupSetShape, description: 'The set with its read groups' } },
      locate: ({ params }) => readGroupSets.locate(params.account, params.readGroupSetId),
      handle: async ({ resource }) => {
        const [set] = await readGroupSets.complete([resource]);
        return set && viewOfReadGroupSet(set);
      },
    }),
    route({
      method: 'DELETE',
      path: '/:account/v1/readgroupsets/:readGroupSetId',
      operation: 'reads.delete',
      tag,
      summary: 'Delete a read group set; its file stays',
      params: setParams,
      answers: { 204: { description: 'Deleted; an ingestion that was making it is cancelled' } },
      locate: ({ params }) => readGroupSets.locate(params.account, params.readGroupSetId),
      handle: async ({ resource, caller, requestId }) => {
        await removal.remove(resource, { caller, requestId });
        return new Answer(204);
      },
    }),
  ];
}

/** Datasets that one search may name. */
const datasetsMax = 1000;

function searchRoute({ projects, readGroupSets, pages }: ReadRouteParts): Route {
  return route({
    method: 'POST',
    path: '/:account/v1/readgroupsets/search',
    onlyReads: true,
    operation: 'reads.search',
    tag,
    summary: 'Read group sets that you may read',
    description: 'Filters are exact. With `biosampleId` only the read groups of that biosample are shown.',
    params: accountParam,
    body: Type.Object({
      datasetId: filterShape('Of this project; absent: of all that you may read'),
      datasetIds: Type.Optional(
        Type.Union(
          [Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: datasetsMax }), Type.Null()],
          {
            description: 'Of any of these projects, and of `datasetId`',
          },
        ),
      ),
      name: filterShape('Name of the set'),
      biosampleId: filterShape('Sets that have a read group of it'),
      patientId: filterShape('Patient of the set'),
      ...searchFields,
    }),
    answers: {
      200: {
        schema: Type.Object({
          readGroupSets: Type.Array(readGroupSetShape),
          nextPageToken: nextPageTokenShape,
        }),
        description: 'In the order in which they were made; a page of very large sets has fewer',
      },
    },
    locate: async ({ params: { account }, body }) => {
      for (const id of datasetsOf(body)) {
        if (!(await locateDataset(projects, account, id))) return undefined;
      }
      return locateAccount(account);
    },
    handle: async ({ params: { account }, body, caller }) => {
      const filter = {
        datasets: datasetsOf(body),
        name: wanted(body.name),
        biosampleId: wanted(body.biosampleId),
        patientId: wanted(body.patientId),
      };
      const search = readSearch(pages, body, ['readgroupsets', account, caller.userId, filter]);
      const { rows: found, size } = await readGroupSets.list(caller, account, filter, search.page);
      const page = { ...search, page: { ...search.page, size } };
      const { rows, ...next } = pageOfRows(pages, found, page, ({ id }) => [id]);
      const sets = await readGroupSets.complete(rows, filter.biosampleId);
      return { readGroupSets: sets.map(viewOfReadGroupSet), ...next };
    },
  });
}

function datasetsOf(body: { datasetId?: string | null; datasetIds?: string[] | null }): string[] {
  return [...new Set([wanted(body.datasetId) ?? [], body.datasetIds ?? []].flat())].sort();
}

const optional = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }));

function createRoute({ files, readGroupSets, referenceSets, ingestions }: ReadRouteParts): Route {
  return route({
    method: 'POST',
    path: '/:account/v1/readgroupsets',
    operation: 'reads.create',
    tag,
    summary: 'Make a read group set of a BAM file',
    description:
      'Starts its ingestion; the set is `INDEXING` until that has ended. A set that the file has already stays as it is until then.',
    params: accountParam,
    body: Type.Object({
      datasetId: Type.String({ minLength: 1, maxLength: 255 }),
      fileId: Type.String({ minLength: 1, maxLength: 255 }),
      name: optional('Absent: the base name of the file, without `.bam`'),
      patientId: optional('Patient of the only sample'),
      biosampleId: optional('Of the only sample; absent: its name in the header'),
      referenceSetId: optional('What it was aligned to; absent: found by the header'),
      sequenceType: optional('Kind of sequencing'),
      testType: optional('Kind of test'),
    }),
    answers: { 200: { schema: readGroupSetShape, description: 'The set' } },
    locate: async ({ params: { account }, body }) => {
      const file = await files.find(body.fileId);
      if (file?.account_id !== account || file.project_id !== body.datasetId) return undefined;
      const attributes = { ...attributesOf(file), type: 'readGroupSet' as const };
      if (body.referenceSetId === undefined) return { attributes, record: file };
      const set = await referenceSets.locate(account, body.referenceSetId);
      return (
        set && {
          attributes,
          record: file,
          also: [{ operation: 'references.read' as const, attributes: set.attributes }],
        }
      );
    },
    handle: async ({ resource: file, body, caller, requestId }) => {
      const { datasetId: _, fileId: __, biosampleId, ...options } = body;
      const specimen = biosampleId === undefined ? {} : { specimenId: biosampleId };
      await ingestions.start(file, { ...options, ...specimen }, { caller, requestId });
      const made = await readGroupSets.findByFile(file.id);
      // Somebody deleted it at this moment.
      if (!made) throw notFound();
      const [set] = await readGroupSets.complete([made]);
      return set && viewOfReadGroupSet(set);
    },
  });
}
