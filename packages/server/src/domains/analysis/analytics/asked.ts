import type { Caller } from '../../../access/caller.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import type { Located } from '../../../api/route.ts';
import { invalidInput, notFound } from '../../../base/problem.ts';
import type { Projects } from '../../files/projects/index.ts';
import { attributesOfTables } from '../../lake/index.ts';
import { limits } from './query.ts';
import { cohortsNamed } from './read/read-where.ts';

/** Functions that this domain needs of cohorts. */
export interface CohortDoor {
  /**
   * Finds a cohort with the projects of its members and the ids of its parts there. A change of the cohort
   * makes new parts.
   */
  find(
    id: string,
  ): Promise<{ attributes: ResourceAttributes; projects: string[]; parts: string[] } | undefined>;
  /** Recomputes the cohort if the data changed. */
  recount(id: string, signal: AbortSignal): Promise<void>;
}

/** Body of a question; one of two spellings of its ids. */
export type Body = Partial<
  Record<
    'datasetId' | 'dataset_id' | 'cohortId' | 'cohort_id' | 'query' | 'string_query' | 'options',
    unknown
  >
>;

export interface Asked {
  datasetId: string | undefined;
  cohortId: string | undefined;
  /** All cohorts: this one, and those in conditions. */
  cohortIds: string[];
}

/** Resources that a query is about. */
interface About {
  asked: Asked;
  account: string;
  /** Ids of the projects whose data it may read. */
  projectIds: string[];
  /** Parts of all cohorts. */
  cohortParts: string[];
}

/** Attributes of the tables of a project. */
export const tablesOf = (account: string, project: string): ResourceAttributes =>
  attributesOfTables({ account_id: account, project_id: project });

/** Parses what the body asks about. Problem 400 with every error. */
export function askedBy(body: Body): Asked {
  refuseContradictions(body);
  const datasetId = (body.datasetId ?? body.dataset_id) as string | undefined;
  const cohortId = (body.cohortId ?? body.cohort_id) as string | undefined;
  if (datasetId === undefined && cohortId === undefined) {
    throw invalidInput([
      { path: 'body/datasetId', message: 'is missing; name a project or a cohort (cohortId)' },
    ]);
  }
  const { query, string_query: text, options } = body;
  if ((query === undefined) === (text === undefined)) {
    const message =
      query === undefined ? 'is missing; so is string_query' : 'and string_query are both given; send one';
    throw invalidInput([{ path: 'body/query', message }]);
  }
  if (query !== undefined && Object.values(Object(options)).some((value) => value !== null)) {
    throw invalidInput([{ path: 'body/options', message: 'is for string_query; send query/options' }]);
  }
  const named = cohortsNamed(query);
  if (named.length > limits.cohortsMax) {
    const message = `names more than ${limits.cohortsMax} cohorts`;
    throw invalidInput([{ path: 'body/query/where', message }]);
  }
  const cohortIds = new Set([...(cohortId === undefined ? [] : [cohortId]), ...named]);
  return { datasetId, cohortId, cohortIds: [...cohortIds] };
}

/** Accepts two spellings of one field only with equal values. */
function refuseContradictions(body: Body): void {
  const spellings = [
    ['datasetId', 'dataset_id'],
    ['cohortId', 'cohort_id'],
  ] as const;
  const differ = spellings.filter(
    ([one, other]) => body[one] !== undefined && body[other] !== undefined && body[one] !== body[other],
  );
  if (differ.length === 0) return;
  throw invalidInput(
    differ.map(([one, other]) => ({ path: `body/${other}`, message: `is not the same as ${one}` })),
  );
}

/** Requires the cohorts to be readable, and limits the projects of a cohort to those the caller may read. */
export async function locate(
  asked: Asked,
  { projects, cohorts }: { projects: Projects; cohorts: CohortDoor },
  caller: Caller,
): Promise<Located<About> | undefined> {
  const named = await Promise.all(asked.cohortIds.map((id) => cohorts.find(id)));
  const found = named.filter((cohort) => cohort !== undefined);
  if (found.length < named.length) return undefined;
  const cohortParts = found.flatMap(({ parts }) => parts);
  const needed = found.map(({ attributes }) => ({ operation: 'cohorts.read' as const, attributes }));
  const requireSameAccount = (account: string): void => {
    if (found.some(({ attributes }) => attributes.account !== account)) throw notFound();
  };
  if (asked.datasetId === undefined) {
    const [{ attributes, projects: ids }] = found as [(typeof found)[number]];
    const { account } = attributes;
    requireSameAccount(account);
    const projectIds = ids.filter((id) => caller.may('lake.read', tablesOf(account, id)));
    return {
      attributes,
      operation: 'cohorts.read',
      record: { asked, account, projectIds, cohortParts },
      also: needed.slice(1),
    };
  }
  const project = await projects.find(asked.datasetId);
  if (!project) return undefined;
  const { account } = project;
  requireSameAccount(account);
  return {
    attributes: tablesOf(account, project.id),
    record: { asked, account, projectIds: [project.id], cohortParts },
    also: needed,
  };
}
