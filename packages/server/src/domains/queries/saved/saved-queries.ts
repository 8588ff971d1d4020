import type { Caller } from '../../../access/caller.ts';
import { listFilter } from '../../../access/filter.ts';
import { type Conditions, requireState } from '../../../api/conditions.ts';
import type { PageRequest } from '../../../api/paging.ts';
import { newId } from '../../../base/ids.ts';
import { nameBegins, nameKey } from '../../../base/names.ts';
import { conflict, notFound } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { SavedQueriesTable } from '../../../platform/records/schema-lake.ts';
import { type Audit, type AuditAction, actor } from '../../audit/index.ts';
import { lockProject, type ProjectRecord } from '../../files/projects/index.ts';
import { attributesOfSaved, etagOf, type SavedQueryInput, type SavedQueryRow } from './saved-query.ts';
import { unscheduled } from './schedules.ts';

type By = { caller: Caller; requestId: string };

/** Maximum saved queries, and maximum reports, of a user in a project. */
export const savedQueriesMax = 200;

/** Statement or report. */
type Kind = SavedQueriesTable['kind'];

const actions = {
  query: { create: 'savedQueries.create', update: 'savedQueries.update', delete: 'savedQueries.delete' },
  report: { create: 'reports.create', update: 'reports.update', delete: 'reports.delete' },
} as const satisfies Record<Kind, Record<string, AuditAction>>;

const listed = [
  'id',
  'kind',
  'account_id',
  'project_id',
  'name',
  'name_key',
  'description',
  'shared',
  'owner_id',
  'created_at',
  'modified_at',
  'schedule_cron',
  'schedule_at',
  'schedule_format',
  'schedule_query_id',
  'schedule_error',
] as const;

/** Statements or reports that users keep under a name, for themselves or for the readers of a project. */
export class SavedQueries {
  readonly #deps: { records: Records; audit: Audit };
  readonly #kind: Kind;

  constructor(deps: { records: Records; audit: Audit }, kind: Kind) {
    this.#deps = deps;
    this.#kind = kind;
  }

  /** Finds one of a project that the user owns or that is shared. */
  async find(project: string, id: string, userId: string): Promise<SavedQueriesTable | undefined> {
    return this.#deps.records.read
      .selectFrom('saved_queries')
      .selectAll()
      .where('id', '=', id)
      .where('project_id', '=', project)
      .where('kind', '=', this.#kind)
      .where((where) => where.or([where('shared', '=', 1), where('owner_id', '=', userId)]))
      .executeTakeFirst();
  }

  /** Lists own and readable shared ones by name, one row more than the page. `name` is a prefix. */
  async list(
    caller: Caller,
    project: ProjectRecord,
    name: string,
    page: PageRequest,
  ): Promise<SavedQueryRow[]> {
    let query = this.#deps.records.read
      .selectFrom('saved_queries')
      .select(listed)
      .where('project_id', '=', project.id)
      .where('kind', '=', this.#kind)
      .where((where) => nameBegins(where.ref('name_key'), name))
      .where((where) => {
        const readable = listFilter(caller, project.account, ['readData', 'readMaskedData'], {
          columns: { 'resource.id': where.ref('id'), 'resource.ownerId': where.ref('owner_id') },
          constants: {
            'resource.account': project.account,
            'resource.dataset': project.id,
            'resource.type': 'query',
          },
        });
        return where.or([
          where('owner_id', '=', caller.userId),
          where.and([where('shared', '=', 1), readable]),
        ]);
      })
      .orderBy('name_key')
      .orderBy('id')
      .limit(page.size + 1);
    if (page.after) {
      const [key, id] = page.after.map(String) as [string, string];
      query = query.where(({ eb, or, and }) =>
        or([eb('name_key', '>', key), and([eb('name_key', '=', key), eb('id', '>', id)])]),
      );
    }
    return query.execute();
  }

  /** Saves content as it is: running a statement checks it. Problem 409 if the caller has too many. */
  async create(project: ProjectRecord, input: SavedQueryInput, by: By): Promise<SavedQueriesTable> {
    const now = Date.now();
    const row: SavedQueriesTable = {
      id: newId(),
      kind: this.#kind,
      account_id: project.account,
      project_id: project.id,
      ...fieldsOf(input),
      owner_id: by.caller.userId,
      created_at: now,
      modified_at: now,
      ...unscheduled,
    };
    return this.#deps.records.transact(async (tx) => {
      await requireRoom(tx, row);
      await tx.insertInto('saved_queries').values(row).execute();
      await this.#append(tx, 'create', row, by);
      return row;
    });
  }

  /**
   * Replaces all fields but the owner by those that `change` derives from the stored ones. Problem 404 if it is gone, or no
   * longer shared with the caller; 412 if it is not in the state that the headers ask for.
   */
  async replace(
    saved: SavedQueriesTable,
    change: (stored: SavedQueriesTable) => SavedQueryInput,
    by: By & { headers: Conditions },
  ): Promise<SavedQueriesTable> {
    return this.#deps.records.transact(async (tx) => {
      await lockProject(tx, saved.project_id);
      const stored = await tx
        .selectFrom('saved_queries')
        .selectAll()
        .where('id', '=', saved.id)
        .where((where) => where.or([where('shared', '=', 1), where('owner_id', '=', by.caller.userId)]))
        .executeTakeFirst();
      if (!stored) throw notFound();
      requireState(by.headers, { etag: etagOf(stored) }, 'It was changed meanwhile. Read it again.');
      // Another user must not change what runs with the rights of the owner.
      const ended = by.caller.userId === stored.owner_id ? {} : unscheduled;
      const row = { ...stored, ...fieldsOf(change(stored)), ...ended, modified_at: Date.now() };
      await tx.updateTable('saved_queries').set(row).where('id', '=', saved.id).execute();
      await this.#append(tx, 'update', row, by);
      return row;
    });
  }

  async delete(saved: SavedQueriesTable, by: By): Promise<void> {
    await this.#deps.records.transact(async (tx) => {
      const row = await tx
        .deleteFrom('saved_queries')
        .where('id', '=', saved.id)
        .where((where) => where.or([where('shared', '=', 1), where('owner_id', '=', by.caller.userId)]))
        .returningAll()
        .executeTakeFirst();
      if (!row) throw notFound();
      await this.#append(tx, 'delete', row, by);
    });
  }

  async #append(
    tx: Transaction,
    action: 'create' | 'update' | 'delete',
    row: SavedQueriesTable,
    by: By,
  ): Promise<void> {
    await this.#deps.audit.append(tx, {
      account: row.account_id,
      ...actor(by.caller, by.requestId),
      action: actions[this.#kind][action],
      resource: attributesOfSaved(row),
      outcome: 'done',
      details: { shared: row.shared === 1 },
    });
  }
}

function fieldsOf({ name, description = '', statement, shared = false }: SavedQueryInput) {
  return { name, name_key: nameKey(name), description, statement, shared: shared ? 1 : 0 };
}

async function requireRoom(
  tx: Transaction,
  { kind, project_id, owner_id }: SavedQueriesTable,
): Promise<void> {
  // Concurrent creations are counted in turn.
  await lockProject(tx, project_id);
  const { count } = await tx
    .selectFrom('saved_queries')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('project_id', '=', project_id)
    .where('kind', '=', kind)
    .where('owner_id', '=', owner_id)
    .executeTakeFirstOrThrow();
  if (Number(count) >= savedQueriesMax)
    throw conflict(
      'TOO_MANY_SAVED_QUERIES',
      `A user may keep ${savedQueriesMax} ${kind === 'query' ? 'queries' : 'reports'} in a project. Delete those that are not used.`,
    );
}
