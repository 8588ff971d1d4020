import type { Caller } from '../../../access/caller.ts';
import type { Privilege } from '../../../access/operations.ts';
import type { PageRequest } from '../../../api/paging.ts';
import { newId, timestamp } from '../../../base/ids.ts';
import { nameBegins, nameKey } from '../../../base/names.ts';
import { conflict, notFound, Problem } from '../../../base/problem.ts';
import { isUniqueViolation } from '../../../platform/records/errors.ts';
import { prepared } from '../../../platform/records/prepared.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { ProjectsTable } from '../../../platform/records/schema.ts';
import { type Audit, type AuditAction, actor } from '../../audit/index.ts';
import { requireAccount, restoresFrom } from '../../identity/accounts/index.ts';
import { inView } from './in-view.ts';
import { attributesOfProject } from './presence.ts';

/** Project as the API shows it; its id is the `datasetId` of its content. */
export interface Project {
  id: string;
  name: string;
  description: string;
  deletionDate?: string;
}

/** Project with its account, for use within the service. */
export type ProjectRecord = Project & { account: string };

interface ProjectChange {
  name?: string;
  description?: string;
  deletionDate?: string | null;
}

interface FileCounts {
  files: number;
  bytes: number;
  /** Epoch milliseconds. */
  changedAt?: number;
}

/** Privileges whose holders know all files of a project. */
const counting = new Set<Privilege>(['readData', 'projectAdmin']);

type By = { caller: Caller; requestId: string };

/** Projects, which hold files, ingested data and cohorts. */
export class Projects {
  readonly #records: Records;
  readonly #audit: Audit;
  readonly #perAccountMax: number;
  readonly #byId: (id: string) => Promise<ProjectsTable[]>;

  constructor(records: Records, audit: Audit, perAccountMax: number) {
    this.#records = records;
    this.#audit = audit;
    this.#perAccountMax = perAccountMax;
    this.#byId = prepared(records.read, (read, id: string) =>
      read.selectFrom('projects').selectAll().where('id', '=', id),
    );
  }

  async find(id: string): Promise<ProjectRecord | undefined> {
    const [row] = await this.#byId(id);
    return row && toProject(row);
  }

  /** Returns the names of those projects of an account that exist and that the caller may know of. */
  async names(caller: Caller, account: string, ids: ReadonlySet<string>): Promise<Map<string, string>> {
    if (ids.size === 0) return new Map();
    const rows = await this.#records.read
      .selectFrom('projects')
      .select(['id', 'name'])
      .where('account_id', '=', account)
      .where('id', 'in', [...ids])
      .where((where) => inView(where, caller, account))
      .execute();
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  /** Counts the files of a project, and their bytes. */
  async storageOf(id: string): Promise<{ files: number; bytes: number }> {
    const { files, bytes } = await this.#records.read
      .selectFrom('files')
      .select(({ fn }) => [fn.countAll<number>().as('files'), fn.sum<number | null>('size').as('bytes')])
      .where('project_id', '=', id)
      .executeTakeFirstOrThrow();
    return { files: Number(files), bytes: Number(bytes ?? 0) };
  }

  /** Lists the projects that the caller may know of, one more than the page, by case-insensitive name. `name` is a prefix. */
  async list(caller: Caller, account: string, name: string, page: PageRequest): Promise<ProjectRecord[]> {
    let query = this.#records.read
      .selectFrom('projects')
      .selectAll()
      .where('account_id', '=', account)
      .where((where) => inView(where, caller, account))
      .where((where) => nameBegins(where.ref('name_key'), name))
      .orderBy('name_key')
      .limit(page.size + 1);
    if (page.after) query = query.where('name_key', '>', String(page.after[0]));
    return (await query.execute()).map(toProject);
  }

  /** Counts the files of projects of which the caller may read all files, or which the caller administers. */
  async countsOf(caller: Caller, projects: readonly ProjectRecord[]): Promise<Map<string, FileCounts>> {
    const ids = projects
      .filter(({ id, account }) =>
        caller
          .projectsOf(account)
          .rightsIn(id)
          .some(({ privilege, isWhole }) => isWhole && counting.has(privilege)),
      )
      .map(({ id }) => id);
    const counts = new Map<string, FileCounts>(ids.map((id) => [id, { files: 0, bytes: 0 }]));
    if (ids.length === 0) return counts;
    const rows = await this.#records.read
      .selectFrom('files')
      .select(({ fn }) => [
        'project_id',
        fn.countAll<number>().as('files'),
        fn.sum<number | null>('size').as('bytes'),
        fn.max('modified_at').as('changed'),
      ])
      .where('project_id', 'in', ids)
      .groupBy('project_id')
      .execute();
    for (const { project_id, files, bytes, changed } of rows)
      counts.set(project_id, { files: Number(files), bytes: Number(bytes ?? 0), changedAt: Number(changed) });
    return counts;
  }

  async create(account: string, input: { name: string; description?: string }, by: By): Promise<Project> {
    const row: ProjectsTable = {
      id: newId(),
      account_id: account,
      name: input.name,
      name_key: nameKey(input.name),
      description: input.description ?? '',
      deletion_at: null,
      created_at: Date.now(),
    };
    await this.#write(async (tx) => {
      await requireAccount(tx, account);
      await this.#requireFew(tx, account);
      await tx.insertInto('projects').values(row).execute();
      await this.#appendAudit(tx, 'projects.create', row.id, account, by);
    });
    return toProject(row);
  }

  async #requireFew(tx: Transaction, account: string): Promise<void> {
    const { projects } = await tx
      .selectFrom('projects')
      .select(({ fn }) => fn.countAll<number>().as('projects'))
      .where('account_id', '=', account)
      .executeTakeFirstOrThrow();
    if (Number(projects) < this.#perAccountMax) return;
    const message = `An account may have ${this.#perAccountMax} projects. Delete one, or ask the operator for more.`;
    throw new Problem(403, 'TOO_MANY_PROJECTS', message);
  }

  /** Changes a project or clears its pending deletion. */
  async update(project: ProjectRecord, change: ProjectChange, by: By): Promise<Project> {
    const restores = restoresFrom(change.deletionDate, project.deletionDate);
    const { name, description } = change;
    return this.#write(async (tx) => {
      const row = await tx
        .updateTable('projects')
        .set({ id: project.id })
        .$if(name !== undefined, (query) => query.set({ name: name ?? '', name_key: nameKey(name ?? '') }))
        .$if(description !== undefined, (query) => query.set({ description: description ?? '' }))
        .$if(restores, (query) => query.set({ deletion_at: null }))
        .where('id', '=', project.id)
        .returningAll()
        .executeTakeFirst();
      if (!row) throw notFound();
      const details = { renamed: name !== undefined, restored: restores };
      await this.#appendAudit(tx, 'projects.update', project.id, project.account, by, details);
      return toProject(row);
    });
  }

  async #write<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    try {
      return await this.#records.transact(work);
    } catch (error) {
      if (!isUniqueViolation(error, 'projects')) throw error;
      throw conflict('PROJECT_EXISTS', 'A project with this name already exists in the account.');
    }
  }

  async #appendAudit(
    tx: Transaction,
    action: AuditAction,
    id: string,
    account: string,
    by: By,
    details: Record<string, boolean> = {},
  ): Promise<void> {
    await this.#audit.append(tx, {
      account,
      ...actor(by.caller, by.requestId),
      action,
      resource: attributesOfProject(id),
      outcome: 'done',
      details,
    });
  }
}

function toProject(row: ProjectsTable): ProjectRecord {
  const { id, name, description, deletion_at } = row;
  const project = { id, name, description, account: row.account_id };
  return deletion_at === null ? project : { ...project, deletionDate: timestamp(deletion_at) };
}
