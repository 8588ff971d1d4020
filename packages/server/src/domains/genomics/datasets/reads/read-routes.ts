import { Type } from 'typebox';
import type { Caller } from '../../../../access/caller.ts';
import { attributesOfNew } from '../../../../access/resource.ts';
import type { Pages } from '../../../../api/paging.ts';
import { Answer, type Located, type Route, route } from '../../../../api/route.ts';
import { idOf, projectIdShape } from '../../../../api/shapes.ts';
import { notFound } from '../../../../base/problem.ts';
import type { FilesTable } from '../../../../platform/records/schema.ts';
import type { Files } from '../../../files/index.ts';
import type { Projects } from '../../../files/projects/index.ts';
import { accountParam, locateAccount, locateDataset } from '../dataset-routes.ts';
import type { ReferenceSets } from '../references/reference-sets.ts';
import { filterShape, nextPageTokenShape, pageOfRows, readSearch, searchFields, wanted } from '../search.ts';
import type { ReadGroupSets } from './read-group-sets.ts';
import { readGroupSetShape, viewOfReadGroupSet } from './read-views.ts';
import type { ReadIngestions, ReadsRemoval } from './reads-removal.ts';

const tag = 'Genomics';

interface ReadRouteDeps {
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
  readGroupSetId: idOf('Id of the read group set'),
});

/** Routes of /{account}/v1/readgroupsets. */
export function readRoutes(deps: ReadRouteDeps): Route[] {
  const { readGroupSets, removal } = deps;
  return [
    searchRoute(deps),
    createRoute(deps),
    route({
      method: 'GET',
      path: '/:account/v1/readgroupsets/:readGroupSetId',
      operation: 'reads.read',
      tag,
      summary: 'Get a read group set',
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
      conflicts: ['FILE_CHANGING'],
      tag,
      summary: 'Delete a read group set and keep its file',
      params: setParams,
      answers: { 204: { description: 'Deleted; a running ingestion of the set is cancelled' } },
      locate: ({ params }) => readGroupSets.locate(params.account, params.readGroupSetId),
      handle: async ({ resource, caller, requestId }) => {
        await removal.remove(resource, { caller, requestId });
        return new Answer(204);
      },
    }),
  ];
}

/** Maximum datasets of one search. */
const datasetsMax = 1000;

function searchRoute({ projects, readGroupSets, pages }: ReadRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/:account/v1/readgroupsets/search',
    onlyReads: true,
    operation: 'reads.search',
    tag,
    summary: 'Search the read group sets that you may read',
    description: 'Filters are exact. With `biosampleId` only the read groups of that biosample are shown.',
    params: accountParam,
    body: Type.Object({
      datasetId: filterShape('Project; absent: all projects that you may read'),
      datasetIds: Type.Optional(
        Type.Union(
          [Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: datasetsMax }), Type.Null()],
          {
            description: 'Any of these projects, and `datasetId`',
          },
        ),
      ),
      name: filterShape('Name of the set'),
      biosampleId: filterShape('Sets with a read group of this biosample'),
      patientId: filterShape('Patient of the set'),
      sequenceId: filterShape('Sets with reads of this sample: its id in the table `sequence`'),
      status: filterShape('`INDEXING`, `ACTIVE` or `FAILED`'),
      ...searchFields,
    }),
    answers: {
      200: {
        schema: Type.Object({
          readGroupSets: Type.Array(readGroupSetShape, { description: 'Sets of this page' }),
          nextPageToken: nextPageTokenShape,
        }),
        description: 'In order of creation; a page of very large sets may be shorter',
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
        sampleId: wanted(body.sequenceId),
        status: wanted(body.status),
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

/** Names of human assemblies, as clients know them. */
const assembly = /^(?:GRCh3[78]|hg19|hg38)(?:\.p\d+)?$/i;

const optional = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 255, description }));

function createRoute({ files, readGroupSets, referenceSets, ingestions }: ReadRouteDeps): Route {
  return route({
    method: 'POST',
    path: '/:account/v1/readgroupsets',
    operation: 'reads.create',
    tag,
    summary: 'Create a read group set from a BAM or CRAM file',
    description:
      'Starts its ingestion; the set is `INDEXING` until that has ended. A set that the file has already stays as it is until then.',
    params: accountParam,
    body: Type.Object({
      datasetId: projectIdShape,
      fileId: idOf('Id of the BAM or CRAM'),
      name: optional('Absent: the base name of the file, without `.bam` or `.cram`'),
      patientId: optional('Patient of the only sample'),
      biosampleId: optional('Name of the only sample; absent: its name in the header'),
      sequenceId: optional('Id of the only sample in the table `sequence`; absent: its name in the header'),
      referenceSetId: optional(
        'Reference set of the alignment, or its assembly, such as `GRCh38`; absent, or an assembly without a set: found by the header',
      ),
      sequenceType: optional('Kind of sequencing'),
      testType: optional('Kind of test'),
    }),
    answers: { 200: { schema: readGroupSetShape, description: 'The set' } },
    locate: ({ params: { account }, body }, _account, caller) =>
      locateToCreate({ files, referenceSets }, account, caller, body),
    handle: async ({ resource: { file, referenceSetId }, body, caller, requestId }) => {
      const { datasetId: _, fileId: __, referenceSetId: ___, biosampleId, sequenceId, ...named } = body;
      const options = {
        ...named,
        ...(referenceSetId !== undefined && { referenceSetId }),
        ...(biosampleId !== undefined && { specimenId: biosampleId }),
        ...(sequenceId !== undefined && { sampleId: sequenceId }),
      };
      await ingestions.start(file, options, { caller, requestId });
      const made = await readGroupSets.findByFile(file.id);
      // Deleted by another request meanwhile.
      if (!made) throw notFound();
      const [set] = await readGroupSets.complete([made]);
      return set && viewOfReadGroupSet(set);
    },
  });
}

/** File of a new set, and the reference set that its request names. */
interface NewSet {
  file: FilesTable;
  referenceSetId: string | undefined;
}

async function locateToCreate(
  { files, referenceSets }: Pick<ReadRouteDeps, 'files' | 'referenceSets'>,
  account: string,
  caller: Caller,
  { fileId, datasetId, referenceSetId: name }: { fileId: string; datasetId: string; referenceSetId?: string },
): Promise<Located<NewSet>> {
  const file = await files.find(fileId);
  if (file?.account_id !== account) throw notFound();
  if (file.project_id !== datasetId) throw notFound();
  const attributes = attributesOfNew('readGroupSet', { account, id: datasetId }, caller);
  const also = await files.neededToIngest(file, caller);
  const set = name === undefined ? undefined : await referenceSets.locateNamed(account, name);
  if (!set) {
    if (name !== undefined && !assembly.test(name)) throw notFound();
    return { attributes, record: { file, referenceSetId: undefined }, also };
  }
  return {
    attributes,
    record: { file, referenceSetId: set.record.id },
    also: [...also, { operation: 'references.read', attributes: set.attributes }],
  };
}
