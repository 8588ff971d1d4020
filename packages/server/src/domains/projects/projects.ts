import type { Caller } from '../../access/caller.ts';
import { newId, timestamp } from '../../ids.ts';
import { nameBegins, nameKey } from '../../names.ts';
import type { PageRequest } from '../../paging.ts';
import { isUniqueViolation } from '../../platform/records/errors.ts';
import { prepared } from '../../platform/records/prepared.ts';
import type { Records, Transaction } from '../../platform/records/records.ts';
import type { ProjectsTable } from '../../platform/records/schema.ts';
import { conflict, notFound } from '../../problem.ts';
import { requireAccount, restoresFrom } from '../accounts/index.ts';
import { type Audit, actor } from '../audit/index.ts';
import { attributesOfProject } from './presence.ts';

/** A project as the API shows it; its id is the `datasetId` of everything in it. */
export interface Project {
  id: string;
  name: string;
  description: string;
  deletionDate?: string;
}

/** A project with what only the service needs. */
export type ProjectRecord = Project & { account: string };

export interface ProjectChange {
  name?: string;
  description?: string;
  deletionDate?: string | null;
}

type By = { caller: Caller; requestId: string };

/** Projects: what holds files, ingested data and cohorts. */
export class Projects {
  readonly #records: Records;
  readonly #audit: Audit;
  readonly #byId: (id: string) => Promise<ProjectsTable[]>;

  constructor(records: Records, audit: Audit) {
    this.#records = records;
    this.#audit = audit;
    this.#byId = prepared(records.read, (read, id: string) =>
      read.selectFrom('projects').selectAll().where('id', '=', id),
    );
  }

  async find(id: string): Promise<ProjectRecord | undefined> {
    const [row] = await this.#byId(id);
    return row && toProject(row);
  }

  /** One row more than the page, by name without regard to case. `name` is a prefix. */
  async list(account: string, name: string, page: PageRequest): Promise<ProjectRecord[]> {
    let query = this.#records.read
      .selectFrom('projects')
      .selectAll()
      .where('account_id', '=', account)
      .where((where) => nameBegins(where.ref('name_key'), name))
      .orderBy('name_key')
      .limit(page.size + 1);
    if (page.after) query = query.where('name_key', '>', String(page.after[0]));
    return (await query.execute()).map(toProject);
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
      await tx.insertInto('projects').values(row).execute();
      await this.#tell(tx, 'projects.create', row.id, account, by);
    });
    return toProject(row);
  }

  /** Renames a project or clears its pending deletion. */
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
      await this.#tell(tx, 'projects.update', project.id, project.account, by, details);
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

  async #tell(
    tx: Transaction,
    action: string,
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
