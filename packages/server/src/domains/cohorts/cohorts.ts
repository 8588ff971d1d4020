import type { Caller } from '../../access/caller.ts';
import { listFilter } from '../../access/filter.ts';
import { newId } from '../../ids.ts';
import { nameBegins, nameKey } from '../../names.ts';
import type { PageRequest } from '../../paging.ts';
import { orDiscard, removeFreed } from '../../platform/blobs/remove-freed.ts';
import type { Reader, Transaction } from '../../platform/records/records.ts';
import type { CohortPartsTable, CohortsTable } from '../../platform/records/schema-cohorts.ts';
import { notFound } from '../../problem.ts';
import { type Audit, actor } from '../audit/index.ts';
import { retireSource } from '../lake/index.ts';
import { requireProject } from '../projects/index.ts';
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
import { type FoundMembers, findMembers, type MemberParts } from './members.ts';
import { insertParts } from './parts.ts';
import { readQueries } from './read-queries.ts';
import { withoutRemoved } from './removed-queries.ts';

type By = { caller: Caller; requestId: string };

/** Members, and the cohort as they were found for it. */
interface Counted {
  cohort: CohortsTable;
  found: FoundMembers[];
}

/** How often a cohort is counted anew because others change it meanwhile. */
const attemptsMax = 5;

/** Cohorts: named sets of patients that are found by queries. Their members are a table of the lake. */
export class Cohorts {
  readonly #parts: MemberParts & { audit: Audit };

  constructor(parts: MemberParts & { audit: Audit }) {
    this.#parts = parts;
  }

  async find(id: string): Promise<CohortRecord | undefined> {
    const { read } = this.#parts.records;
    const row = await read.selectFrom('cohorts').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) return undefined;
    const [record] = await withParts(read, [row]);
    return record;
  }

  /** Of a project, by name, of those that the caller may read; one row more than the page. `name` is a prefix. */
  async list(
    caller: Caller,
    project: { id: string; account: string },
    name: string,
    page: PageRequest,
  ): Promise<CohortRecord[]> {
    let query = this.#parts.records.read
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
    return withParts(this.#parts.records.read, await query.execute());
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
    return this.#withMembers(row, { held: [], sees: () => true }, signal, async (tx, { found }) => {
      await requireProject(tx, project.id);
      await tx.insertInto('cohorts').values(row).execute();
      const parts = await insertParts(tx, row, found);
      await this.#tell(tx, 'cohorts.create', row, by);
      return { ...row, parts };
    });
  }

  /** Changes what is given. Its members are found anew when what makes them changes. */
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
      await this.#tell(tx, 'cohorts.update', row, by);
      return { ...row, parts };
    };
    if (change.queries === undefined && change.subjectIds === undefined) {
      return this.#parts.records.transact((tx) => write(tx));
    }
    const { read } = this.#parts.records;
    for (let present: CohortRecord | undefined = cohort, attempt = 1; present; attempt += 1) {
      try {
        const held = [...queriesOf(cohort), ...queriesOf(present)];
        const row = await changedRow(read, present, change, sees);
        return await this.#withMembers(row, { held, sees }, signal, write);
      } catch (error) {
        if (!isChanged(error) || attempt === attemptsMax) throw error;
      }
      present = await this.find(cohort.id);
    }
    throw notFound();
  }

  async delete(cohort: CohortRecord, by: By): Promise<void> {
    await this.#parts.records.transact(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('cohorts')
        .where('id', '=', cohort.id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) throw notFound();
      await removeParts(tx, cohort.id, () => true);
      await this.#tell(tx, 'cohorts.delete', cohort, by);
    });
  }

  /**
   * Finds the members outside of the transaction that makes them visible; what it does not take is removed again. Where the writer sees
   * nothing, nothing is looked for either: a mistake there would tell of it.
   */
  async #withMembers(
    cohort: CohortsTable,
    { held, sees }: { held: CohortQuery[]; sees: Sees },
    signal: AbortSignal,
    write: (tx: Transaction, counted: Counted) => Promise<CohortRecord>,
  ): Promise<CohortRecord> {
    const subjects = { project: cohort.project_id, ids: sees(cohort.project_id) ? subjectsOf(cohort) : [] };
    const queries = queriesOf(cohort).filter(({ project }) => sees(project));
    const sources = readQueries(queries, subjects, held);
    const found: FoundMembers[] = [];
    const { blobs, records } = this.#parts;
    const discard = () =>
      removeFreed(
        blobs,
        found.map(({ blob }) => blob.key),
      );
    try {
      for (const [project, source] of sources)
        found.push(await findMembers(this.#parts, { cohortId: cohort.id, project, source }, signal));
    } catch (error) {
      await discard();
      throw error;
    }
    return orDiscard(discard, () => records.transact((tx) => write(tx, { cohort, found })));
  }

  async #tell(tx: Transaction, action: string, row: CohortsTable, by: By): Promise<void> {
    await this.#parts.audit.append(tx, {
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

/** Takes away the members in the projects that somebody sees; answers the other parts. */
async function removeParts(tx: Transaction, cohortId: string, sees: Sees): Promise<CohortPartsTable[]> {
  const parts = await tx.selectFrom('cohort_parts').selectAll().where('cohort_id', '=', cohortId).execute();
  const [gone, kept] = [true, false].map((seen) => parts.filter((part) => sees(part.project_id) === seen));
  for (const { id } of gone as CohortPartsTable[]) {
    await tx.deleteFrom('cohort_parts').where('id', '=', id).execute();
    await retireSource(tx, id, true);
  }
  return kept as CohortPartsTable[];
}
