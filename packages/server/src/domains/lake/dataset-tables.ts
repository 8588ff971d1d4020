import type { TableShape } from '@ploidy/engine';
import { engineTypes } from '@ploidy/formats/tables';
import { Type } from 'typebox';
import type { ResourceAttributes } from '../../access/resource.ts';
import type { Located } from '../../api/route.ts';
import { projectIdShape } from '../../api/shapes.ts';
import { locateProject, type ProjectRecord, type Projects } from '../files/projects/index.ts';
import type { Snapshot } from './lake.ts';

/** Tag of the routes of tables and queries. */
export const lakeTag = 'Data lake';

/** Path below /api/v1 and /v1. */
export const lakeRoot = '/analytics/data-lake';

/** Paths of a route below `lakeRoot`. */
export const lakePath = (path: string) => ({
  path: `/api/v1${lakeRoot}${path}`,
  aliases: [`/v1${lakeRoot}${path}`],
});

/** Query parameters that name the project. */
export const datasetQuery = Type.Object({ datasetId: projectIdShape });

/** Locates the tables of a project with the attributes that the query's run will check. */
export async function locateTables(
  projects: Projects,
  id: string,
): Promise<Located<ProjectRecord> | undefined> {
  const project = await locateProject(projects, id);
  if (!project) return undefined;
  return { ...project, attributes: tablesOf(project.record) };
}

/** Attributes of the tables of a project. */
export const tablesOf = ({ account, id }: ProjectRecord) =>
  attributesOfTables({ account_id: account, project_id: id });

/**
 * Attributes of a project's tables for policies. Tables have no owner, so rules on owners never permit
 * access.
 */
export function attributesOfTables(of: { account_id: string; project_id: string }): ResourceAttributes {
  return { account: of.account_id, dataset: of.project_id, type: 'table' };
}

/** Returns tables in the form in which the engine binds statements. */
export function shapesOf(names: string[], { rowCounts, tables }: Snapshot): TableShape[] {
  return names.flatMap((name) => {
    const table = tables.get(name);
    if (!table) return [];
    const columns = table.columns.map((column) => ({ name: column.name, type: engineTypes[column.type] }));
    return [{ name, columns, rowCount: rowCounts.get(name) ?? 0 }];
  });
}
