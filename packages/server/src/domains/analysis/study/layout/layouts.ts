import { type Static, Type } from 'typebox';
import type { Caller } from '../../../../access/caller.ts';
import { newId, timestamp } from '../../../../base/ids.ts';
import type { Records } from '../../../../platform/records/records.ts';
import type { StudyLayoutsTable } from '../../../../platform/records/schema-cohorts.ts';
import { type Audit, type AuditAction, actor } from '../../../audit/index.ts';
import { lockProject } from '../../../files/projects/index.ts';

type By = { caller: Caller; requestId: string };

const cells = (description: string) => Type.Integer({ minimum: 1, maximum: 12, description });
const word = (description: string, maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[^\\u0000-\\u001f]+$', description });

/** Charts of a layout, each with its size and place. */
export const chartsShape = Type.Array(
  Type.Object({
    id: word('Id of the chart, such as an attribute or a list of genes; distinct', 255),
    width: cells('Width in columns of the grid'),
    height: cells('Height in rows of the grid'),
    position: Type.Integer({ minimum: 0, maximum: 999, description: 'Place in the order of the charts' }),
    view: Type.Optional(word('Form in which the chart is drawn; absent: that of its values', 64)),
  }),
  { maxItems: 200, description: 'Charts that are shown' },
);
export type Chart = Static<typeof chartsShape>[number];

/** Owner of a layout: the caller, or all readers of the project. */
export type Scope = 'person' | 'project';

interface Layout {
  scope: Scope;
  charts: Chart[];
  modificationTime: string;
}

/** Layouts of the charts of studies: one of each person in a project, and one that the project shares. */
export class Layouts {
  readonly #deps: { records: Records; audit: Audit };

  constructor(deps: { records: Records; audit: Audit }) {
    this.#deps = deps;
  }

  /** Finds the layout of a scope; without a scope the person's, else the project's. */
  async find(project: string, userId: string, scope?: Scope): Promise<Layout | undefined> {
    const owners = { person: [userId], project: [''] };
    const rows = await this.#deps.records.read
      .selectFrom('study_layouts')
      .selectAll()
      .where('project_id', '=', project)
      .where('owner_id', 'in', scope ? owners[scope] : [userId, ''])
      .execute();
    const row = rows.find(({ owner_id }) => owner_id !== '') ?? rows[0];
    return row && viewOf(row);
  }

  /** Saves the layout of a scope in place of the one before. Problem 404 if the project is gone. */
  async save(
    { account, project, scope }: { account: string; project: string; scope: Scope },
    charts: readonly Chart[],
    by: By,
  ): Promise<Layout> {
    const row: StudyLayoutsTable = {
      id: newId(),
      account_id: account,
      project_id: project,
      owner_id: ownerOf(scope, by),
      charts: JSON.stringify(charts),
      modified_at: Date.now(),
    };
    await this.#deps.records.transact(async (tx) => {
      await lockProject(tx, project);
      await tx
        .insertInto('study_layouts')
        .values(row)
        .onConflict((saved) =>
          saved
            .columns(['project_id', 'owner_id'])
            .doUpdateSet({ charts: row.charts, modified_at: row.modified_at }),
        )
        .execute();
      await this.#deps.audit.append(tx, eventOf(row, by, { charts: charts.length }));
    });
    return viewOf(row);
  }

  /** Deletes the layout of a scope, if there is one. */
  async delete(
    { account, project, scope }: { account: string; project: string; scope: Scope },
    by: By,
  ): Promise<void> {
    const owner_id = ownerOf(scope, by);
    await this.#deps.records.transact(async (tx) => {
      const { numDeletedRows } = await tx
        .deleteFrom('study_layouts')
        .where('project_id', '=', project)
        .where('owner_id', '=', owner_id)
        .executeTakeFirst();
      if (numDeletedRows === 0n) return;
      const about = { account_id: account, project_id: project, owner_id };
      await this.#deps.audit.append(tx, eventOf(about, by, { charts: 0 }));
    });
  }
}

const ownerOf = (scope: Scope, { caller }: By): string => (scope === 'person' ? caller.userId : '');

function viewOf({ owner_id, charts, modified_at }: StudyLayoutsTable): Layout {
  return {
    scope: owner_id === '' ? 'project' : 'person',
    charts: JSON.parse(charts) as Chart[],
    modificationTime: timestamp(modified_at),
  };
}

function eventOf(
  { account_id, project_id, owner_id }: Pick<StudyLayoutsTable, 'account_id' | 'project_id' | 'owner_id'>,
  { caller, requestId }: By,
  details: { charts: number },
) {
  const action: AuditAction = owner_id === '' ? 'study.shareLayout' : 'study.saveLayout';
  return {
    account: account_id,
    ...actor(caller, requestId),
    action,
    resource: { type: 'table' as const, dataset: project_id },
    outcome: 'done' as const,
    details,
  };
}
