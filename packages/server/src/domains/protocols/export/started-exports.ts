import { Type } from 'typebox';
import type { Caller } from '../../../access/caller.ts';
import { type AlsoNeeded, Answer, type Located } from '../../../api/route.ts';
import { countOf, idOf, optionalText, textOf, timestampShape, waitingShape } from '../../../api/shapes.ts';
import { notFound } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { ExportsTable } from '../../../platform/records/schema-lake.ts';
import type { ProjectRecord, Projects } from '../../files/projects/index.ts';
import { type Lake, locateTables, rowAccessOf, tablesOf } from '../../lake/index.ts';
import type { DirectRows } from '../../queries/index.ts';
import type { Exports } from './exports.ts';

export interface ExportRouteDeps {
  records: Records;
  exports: Exports;
  lake: Lake;
  rows: DirectRows;
  projects: Projects;
  /** Finds the right that reading a cohort needs; undefined for an unknown one. */
  cohortNeeds: (id: string) => Promise<AlsoNeeded | undefined>;
  /** Address of the service; empty: the one that the client used. */
  publicUrl: () => string;
  countsMin: number;
}

/** Seconds after which a client asks again. */
const askAgainS = '2';
export const cohortShape = Type.Optional(idOf('Only patients of this cohort'));
export const started = Type.Object({ exportId: textOf('Id of the export') }, { title: 'StartedExport' });
export const progressShape = Type.Object(
  {
    done: countOf('Files that are written'),
    parts: countOf('Files of the export'),
    waiting: waitingShape(timestampShape),
  },
  { title: 'ExportProgress' },
);
export const manifestShape = Type.Object(
  {
    transactionTime: timestampShape,
    request: textOf('Address of the request that started it'),
    requiresAccessToken: Type.Boolean({ description: '`false`: the addresses are signed' }),
    output: Type.Array(
      Type.Object({
        type: textOf('FHIR type of the resources, `VCF`, or `study`'),
        url: textOf('Address of the file; valid for `PLOIDY_SIGNED_URL_LIFE`'),
        fileId: textOf('Id of the file in the project'),
        name: textOf('Last part of the name of the file'),
        count: Type.Optional(countOf('Resources in the file')),
        sampleId: optionalText('Sample of a VCF'),
      }),
      { description: 'Files with rows' },
    ),
    error: Type.Array(Type.Unknown(), { description: 'Always empty: an export has all files or fails' }),
  },
  { title: 'ExportManifest' },
);

export const startedAnswer = {
  202: { schema: started, description: 'Export that runs; its state is at `Content-Location`' },
};

/** Locates the project of an export, and the cohort that it is limited to. */
export async function locateExported(
  { projects, cohortNeeds }: ExportRouteDeps,
  id: string,
  cohort: string | undefined,
): Promise<Located<ProjectRecord> | undefined> {
  const located = await locateTables(projects, id);
  if (!located || cohort === undefined) return located;
  const needed = await cohortNeeds(cohort);
  const isSame = needed?.attributes.account === located.attributes.account;
  return needed && isSame ? { ...located, also: [needed] } : undefined;
}

/** Finds an export of the caller in a project that is there. */
export async function ownExport(
  { exports, projects }: ExportRouteDeps,
  id: string,
  caller: Caller,
): Promise<ExportsTable> {
  const record = await exports.find(id, caller.userId);
  if (!record || !caller.isMember(record.account_id) || !(await projects.find(record.project_id)))
    throw notFound();
  return record;
}

/** Returns the manifest of an export, or 202 with how far it is. */
export async function stateAnswer(
  { exports }: Pick<ExportRouteDeps, 'exports'>,
  record: ExportsTable,
  caller: Caller,
): Promise<Answer> {
  const state = await exports.state(record, caller);
  if ('manifest' in state) return new Answer(200, state.manifest);
  const progress = `${state.done} of ${state.parts} files`;
  return new Answer(202, state, { 'x-progress': progress, 'retry-after': askAgainS });
}

/** Lists the tables of which the caller sees rows. */
export async function visibleTables(
  { lake, countsMin }: ExportRouteDeps,
  project: ProjectRecord,
  caller: Caller,
): Promise<ReadonlySet<string>> {
  const snapshot = await lake.snapshot(project.id, rowAccessOf(caller, tablesOf(project), countsMin));
  return new Set(snapshot.tables.keys());
}

/** Answers that an export runs, with the address of its state. */
export const startedAt = (address: string, exportId: string): Answer =>
  new Answer(202, { exportId }, { 'content-location': `${address}/${exportId}` });
