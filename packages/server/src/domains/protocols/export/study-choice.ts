import { caseListAttribute } from '@ploidy/formats/tables';
import type { ProjectRecord } from '../../files/projects/index.ts';
import type { DirectRows } from '../../queries/index.ts';

/** Attribute of a project, as `attribute` has it. */
export interface ExportedAttribute {
  id: string;
  level: 'patient' | 'sample';
  name: string;
  type: string;
  description: string;
  priority: number;
}

/** Parts of the files of a study. */
export interface StudyChoice {
  id: string;
  name: string;
  /** Tables that the caller sees. */
  tables: ReadonlySet<string>;
  attributes: readonly ExportedAttribute[];
  panels: readonly string[];
  /** Names of the case lists of the study's own. */
  caseLists: readonly string[];
  /** Names of further values of events. */
  eventKeys: readonly string[];
  /** Units of expression: `z-score`, `other`. */
  units: readonly string[];
  genomeBuild: string | null;
  cohort: string | undefined;
}

/** Statements that list what the caller sees, for the statements of the files. */
const studyLists = {
  attributes: `SELECT attribute_id, level, coalesce(name, attribute_id), coalesce(type, 'string'), coalesce(description, name, attribute_id), coalesce(priority, 1)
    FROM attribute ORDER BY level, priority DESC, attribute_id`,
  panels: 'SELECT DISTINCT panel_id FROM gene_panel ORDER BY 1',
  caseLists: `SELECT DISTINCT value FROM attribute_value WHERE attribute_id = '${caseListAttribute}' AND value IS NOT NULL ORDER BY 1`,
  eventKeys:
    'SELECT DISTINCT unnest(json_keys(attributes)) AS name FROM timeline_event WHERE attributes IS NOT NULL ORDER BY 1',
  units:
    "SELECT DISTINCT CASE WHEN expression_unit = 'z-score' THEN 'z-score' ELSE 'other' END FROM gene ORDER BY 1",
} as const;

/** Attributes, panels and names of a study at most: each is a column or a file. */
const listedMax = 400;

type By = Parameters<DirectRows['all']>[3];

/** Lists what the caller sees of a study, for the statements of its files. */
export async function studyChoice(
  rows: DirectRows,
  project: ProjectRecord,
  seen: Pick<StudyChoice, 'tables' | 'genomeBuild' | 'cohort'>,
  by: By,
): Promise<StudyChoice> {
  const list = async (table: string, statement: string): Promise<unknown[][]> =>
    seen.tables.has(table) ? rows.all(project, statement, listedMax, by) : [];
  const attributes = await list('attribute', studyLists.attributes);
  const names = async (table: string, statement: string) =>
    (await list(table, statement)).map(([name]) => String(name));
  return {
    ...seen,
    id: `ploidy_${project.id.replaceAll('-', '')}`,
    name: project.name.replace(/[\t\r\n]+/g, ' '),
    attributes: attributes.map(([id, level, name, type, description, priority]) => ({
      ...{ id: String(id), level: level === 'sample' ? 'sample' : 'patient', name: String(name) },
      ...{ type: String(type), description: String(description), priority: Number(priority) },
    })),
    panels: await names('gene_panel', studyLists.panels),
    caseLists: await names('attribute_value', studyLists.caseLists),
    eventKeys: await names('timeline_event', studyLists.eventKeys),
    units: await names('gene', studyLists.units),
  };
}
