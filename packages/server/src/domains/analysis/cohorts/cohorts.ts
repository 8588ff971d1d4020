import type { Caller } from '../../../access/caller.ts';
import { listFilter } from '../../../access/filter.ts';
import type { PageRequest } from '../../../api/paging.ts';
import { newId } from '../../../base/ids.ts';
import { nameBegins, nameKey } from '../../../base/names.ts';
import { notFound } from '../../../base/problem.ts';
import { orDiscard, removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { Places } from '../../../platform/jobs/places.ts';
import type { Reader, Transaction } from '../../../platform/records/records.ts';
import type {
  CohortCountsTable,
  CohortPartsTable,
  CohortsTable,
} from '../../../platform/records/schema-cohorts.ts';
import { type Audit, type AuditAction, actor } from '../../audit/index.ts';
import { requireProject } from '../../files/projects/index.ts';
import { retireSource } from '../../lake/index.ts';
import { changedRow, isChanged, lock, requireSame } from './change.ts';
import {
  attributesOfCohort,
  type CohortInput,
  type CohortQuery,
  type CohortRecord,
  queriesOf,
  type Sees,
  seenBy,
  subjectsOf,
} from './cohort.ts';
import { listCounts, removeCounts } from './counts.ts';
import { type FoundMembers, findMembers, type MemberDeps } from './members.ts';
import { insertParts } from './parts.ts';
import { readQueries } from './read-queries.ts';
import { withoutRemoved } from './removed-queries.ts';

type By = { caller: Caller; requestId: string };

interface CohortDeps extends MemberDeps {
  audit: Audit;
  /** Places that queries share. */
  queryPlaces: Places;
}

/** Members, and the cohort they were found for. */
interface Counted {
  cohort: CohortsTable;
  found: FoundMembers[];
}

/** Attempts to count a cohort that other requests change meanwhile. */
const attemptsMax = 5;

/** Cohorts: named sets of patients, found by queries. Their members are a table of the lake. */
export class Cohorts {
  readonly #deps: CohortDeps;

  constructor(deps: CohortDeps) {
    this.#deps = deps;
  }

  async find(id: string): Promise<CohortRecord | undefined> {
    const { read } = this.#deps.records;
    const row = await read.selectFrom('cohorts').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) return undefined;
    const [record] = await withParts(read, [row]);
    return record;
  }

  /** Lists the cohorts of a project that the caller may read, by name, one row more than the page. `name` is a prefix. */
  async list(
    caller: Caller,
    project: { id: string; account: string },
    name: string,
    page: PageRequest,
  ): Promise<CohortRecord[]> {
    let query = this.#deps.records.read
      .selectFrom('cohorts')
      .selectAll()
      .where('project_id', '=', project.id)
      .where((where) => nameBegins(where.ref('name_key'), name))
      .where((where) =>
        listFilter(caller, project.account, ['readData'], {
          columns: { 'resource.id': where.ref('id'), 'resource.ownerId': where.ref('creator_id') },
          constants: {
            'resource.account': project.account,
            'resource.dataset': project.id,
            'resource.type': 'cohort',
          },
        }),
      )
      .orderBy('name_key')
      .orderBy('id')
      .limit(page.size + 1);
    if (page.after) {
      const [key, id] = page.after.map(String) as [string, string];
      query = query.where(({ eb, or, and }) =>
        or([eb('name_key', '>', key), and([eb('name_key', '=', key), eb('id', '>', id)])]),
      );
    }
    return withParts(this.#deps.records.read, await query.execute());
  }

  /** Lists the caller's own cohorts in an account, newest first, one row more than the page. */
  async listMade(caller: Caller, account: string, page: PageRequest): Promise<CohortsTable[]> {
    let query = this.#deps.records.read
      .selectFrom('cohorts')
      .selectAll()
      .where('account_id', '=', account)
      .where('creator_id', '=', caller.userId)
      .where((where) =>
        listFilter(caller, account, ['readData'], {
          columns: { 'resource.dataset': where.ref('project_id'), 'resource.id': where.ref('id') },
          constants: {
            'resource.account': account,
            'resource.type': 'cohort',
            'resource.ownerId': caller.userId,
          },
        }),
      )
      .orderBy('id', 'desc')
      .limit(page.size + 1);
    if (page.after) query = query.where('id', '<', String(page.after[0]));
    return query.execute();
  }

  /** Lists the history of a cohort's counts, newest first, one row more than the page. */
  counts(caller: Caller, cohort: CohortRecord, page: PageRequest): Promise<CohortCountsTable[]> {
    return listCounts(this.#deps.records.read, caller, cohort, page);
  }

  async create(
    project: { id: string; account: string },
    input: CohortInput,
    by: By,
    signal: AbortSignal,
  ): Promise<CohortRecord> {
    const now = Date.now();
    const row: CohortsTable = {
      id: newId(),
      account_id: project.account,
      project_id: project.id,
      name: input.name,
      name_key: nameKey(input.name),
      description: input.description ?? '',
      queries: JSON.stringify(input.queries ?? []),
      subject_ids: JSON.stringify(input.subjectIds ?? []),
      creator_id: by.caller.userId,
      created_at: now,
      counted_at: now,
    };
    return this.#withMembers(
      row,
      { held: [], sees: () => true, caller: by.caller.person },
      signal,
      async (tx, { found }) => {
        await requireProject(tx, project.id);
        await tx.insertInto('cohorts').values(row).execute();
        const parts = await insertParts(tx, row, found);
        await this.#record(tx, 'cohorts.create', row, by);
        return { ...row, parts };
      },
    );
  }

  /** Changes the given fields. Members are searched again if a field that defines them changes. */
  async update(
    cohort: CohortRecord,
    change: Partial<CohortInput>,
    by: By,
    signal: AbortSignal,
  ): Promise<CohortRecord> {
    const sees = seenBy(by.caller, cohort);
    const write = async (tx: Transaction, counted?: Counted): Promise<CohortRecord> => {
      const row = await changedRow(tx, await lock(tx, cohort.id), change, sees);
      let { parts } = cohort;
      if (counted) {
        requireSame(row, counted.cohort);
        row.counted_at = Date.now();
        const kept = await removeParts(tx, row.id, sees);
        parts = [...kept, ...(await insertParts(tx, row, counted.found))];
      }
      await tx.updateTable('cohorts').set(row).where('id', '=', row.id).execute();
      await this.#record(tx, 'cohorts.update', row, by);
      return { ...row, parts };
    };
    if (change.queries === undefined && change.subjectIds === undefined) {
      return this.#deps.records.transact((tx) => write(tx));
    }
    const { read } = this.#deps.records;
    for (let present: CohortRecord | undefined = cohort, attempt = 1; present; attempt += 1) {
      try {
        const held = [...queriesOf(cohort), ...queriesOf(present)];
        const row = await changedRow(read, present, change, sees);
        return await this.#withMembers(row, { held, sees, caller: by.caller.person }, signal, write);
      } catch (error) {
        if (!isChanged(error) || attempt === attemptsMax) throw error;
      }
      present = await this.find(cohort.id);
    }
    throw notFound();
  }

  async delete(cohort: CohortRecord, by: By): Promise<void> {
    await this.#deps.records.transact(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('cohorts')
        .where('id', '=', cohort.id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound();
      await removeParts(tx, cohort.id, () => true);
      await removeCounts(tx, [cohort.id]);
      await this.#record(tx, 'cohorts.delete', cohort, by);
    });
  }

  /**
   * Finds the members outside the transaction that publishes them, and removes those not published. Projects
   * hidden from the caller are skipped: an error there would reveal them.
   */
  async #withMembers(
    cohort: CohortsTable,
    { held, sees, caller }: { held: CohortQuery[]; sees: Sees; caller: string },
    signal: AbortSignal,
    write: (tx: Transaction, counted: Counted) => Promise<CohortRecord>,
  ): Promise<CohortRecord> {
    const subjects = { project: cohort.project_id, ids: sees(cohort.project_id) ? subjectsOf(cohort) : [] };
    const queries = queriesOf(cohort).filter(({ project }) => sees(project));
    const { blobs, lake, records } = this.#deps;
    const sources = await readQueries(lake, queries, subjects, held);
    const found: FoundMembers[] = [];
    const discard = () =>
      removeFreed(
        blobs,
        found.map(({ blob }) => blob.key),
      );
    try {
      for (const [project, source] of sources)
        found.push(
          await this.#deps.queryPlaces.use(
            { account: cohort.account_id, project, user: caller },
            signal,
            (placed) => findMembers(this.#deps, { cohortId: cohort.id, project, source, caller }, placed),
          ),
        );
    } catch (error) {
      await discard();
      throw error;
    }
    return orDiscard(discard, () => records.transact((tx) => write(tx, { cohort, found })));
  }

  async #record(tx: Transaction, action: AuditAction, row: CohortsTable, by: By): Promise<void> {
    await this.#deps.audit.append(tx, {
      account: row.account_id,
      ...actor(by.caller, by.requestId),
      action,
      resource: attributesOfCohort(row),
      outcome: 'done',
    });
  }
}

async function withParts(read: Reader, rows: CohortsTable[]): Promise<CohortRecord[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const parts = await read
    .selectFrom('cohort_parts as c')
    .innerJoin('projects as p', 'p.id', 'c.project_id')
    .selectAll('c')
    .where('c.cohort_id', 'in', ids)
    .orderBy('c.id')
    .execute();
  const byCohort = Map.groupBy(parts as CohortPartsTable[], (part) => part.cohort_id);
  const present = await withoutRemoved(read, rows);
  return present.map((row) => ({ ...row, parts: byCohort.get(row.id) ?? [] }));
}

/** Removes the members in the visible projects; returns the other parts. */
async function removeParts(tx: Transaction, cohortId: string, sees: Sees): Promise<CohortPartsTable[]> {
  const parts = await tx.selectFrom('cohort_parts').selectAll().where('cohort_id', '=', cohortId).execute();
  const [gone, kept] = [true, false].map((seen) => parts.filter((part) => sees(part.project_id) === seen));
  for (const { id } of gone as CohortPartsTable[]) {
    await tx.deleteFrom('cohort_parts').where('id', '=', id).execute();
    await retireSource(tx, id, true);
  }
  return kept as CohortPartsTable[];
}
