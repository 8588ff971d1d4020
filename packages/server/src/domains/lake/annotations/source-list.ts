import { newestReleases, readRelease } from '@ploidy/formats/annotation-release';
import { annotation, annotationSource, annotationValue } from '@ploidy/formats/tables';
import type { Caller } from '../../../access/caller.ts';
import { timestamp } from '../../../base/ids.ts';
import { notFound } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import { type Audit, actor } from '../../audit/index.ts';
import { lockProjectIfThere, type ProjectRecord } from '../../files/projects/index.ts';
import { currentVersion } from '../catalogue/catalogue.ts';
import { type LakeFile, presentFiles } from '../catalogue/lake-files.ts';
import { attributesOfTables } from '../dataset-tables.ts';
import { shortfallOf } from './annotated-segments.ts';
import { type AnnotationWork, isPaused } from './annotation-work.ts';
import type { ServiceAnnotations } from './service-annotations.ts';

/** File of an annotation source, as the API shows it. */
interface ListedSource {
  id: string;
  kind: string;
  source: string;
  version?: string;
  released?: string;
  genomeBuild?: string;
  rows: number;
  isUsed: boolean;
  isOfService: boolean;
  ingested: string;
}

/** Progress of the filling of variants. */
interface Filling {
  state: 'done' | 'running' | 'paused';
  rowsDone: number;
  rowsTotal: number;
}

interface SourceListDeps {
  records: Records;
  audit: Audit;
  serviceAnnotations: ServiceAnnotations;
  annotationWork: AnnotationWork;
}

/** Lists the annotation sources of projects, and steers the filling of their variants. */
export class SourceList {
  readonly #deps: SourceListDeps;

  constructor(deps: SourceListDeps) {
    this.#deps = deps;
  }

  /** Lists the sources whose values a project has, the service's after its own, each newest first. */
  async list(project: string): Promise<ListedSource[]> {
    const { records, serviceAnnotations: service } = this.#deps;
    const tables = [annotation.name, annotationValue.name];
    const own: LakeFile[] = [];
    for (const table of [...tables, annotationSource.name])
      own.push(...(await presentFiles(records.read, project, table)));
    const all = await service.before(records.read, project, own, [...tables, annotationSource.name]);
    const used = new Set(tables.flatMap((table) => newestReleases(all.filter((one) => one.table === table))));
    const ofProject = new Set(own);
    const byIngestion = [...Map.groupBy(all, ({ ingestionId }) => ingestionId).values()];
    return byIngestion
      .map((files) => sourceOf(files, { used, isOfService: !files.every((file) => ofProject.has(file)) }))
      .sort(
        (one, other) => Number(one.isOfService) - Number(other.isOfService) || (one.id < other.id ? 1 : -1),
      );
  }

  /** Returns the progress of the filling of a project's variants. */
  async filling(project: string): Promise<Filling> {
    const { records, serviceAnnotations } = this.#deps;
    const { rows } = await shortfallOf(records.read, project, serviceAnnotations);
    const open = (await isPaused(records.read, project)) ? 'paused' : 'running';
    const { filled: rowsDone, total: rowsTotal } = rows;
    return { state: rowsDone === rowsTotal ? 'done' : open, rowsDone, rowsTotal };
  }

  /** Pauses the filling after the file at work, or goes on with it. Problem 404 without the project. */
  async pause(
    project: ProjectRecord,
    paused: boolean,
    by: { caller: Caller; requestId: string },
  ): Promise<void> {
    const { records, audit, annotationWork } = this.#deps;
    const { id, account } = project;
    await records.transact(async (tx) => {
      if (!(await lockProjectIfThere(tx, id))) throw notFound();
      if ((await currentVersion(tx, id)) > 0)
        await tx
          .updateTable('lakes')
          .set({ filling_paused_at: paused ? Date.now() : null })
          .where('project_id', '=', id)
          .execute();
      if (!paused) await annotationWork.request(tx, id);
      await audit.append(tx, {
        account,
        ...actor(by.caller, by.requestId),
        action: 'annotations.pause',
        resource: attributesOfTables({ account_id: account, project_id: id }),
        outcome: 'done',
        details: { paused },
      });
    });
  }
}

/** Describes the files of one ingestion. Earlier versions kept no release of a file. */
function sourceOf(
  files: readonly LakeFile[],
  { used, isOfService }: { used: ReadonlySet<LakeFile>; isOfService: boolean },
): ListedSource {
  const [first] = files;
  if (!first) throw new Error('An ingestion without files has no source.');
  const { kind = 'alleles', source = 'alleles', version, released } = readRelease(first.source) ?? {};
  const build = files.find(({ genomeBuild }) => genomeBuild !== null)?.genomeBuild;
  const values = files.filter(({ table }) => table !== annotationSource.name);
  return {
    ...{ id: first.ingestionId, kind, source },
    ...(version !== undefined && { version }),
    ...(released !== undefined && { released }),
    ...(build && { genomeBuild: build }),
    rows: values.reduce((sum, { rowCount }) => sum + rowCount, 0),
    isUsed: values.some((file) => used.has(file)),
    isOfService,
    ingested: timestamp(first.recordedAt),
  };
}
