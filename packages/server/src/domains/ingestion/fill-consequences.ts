import type { ConversionOptions } from '@ploidy/engine';
import { geneModel } from '@ploidy/formats/tables';
import type { JobHandler, Jobs } from '../../platform/jobs/jobs.ts';
import type { Reader, Records, Transaction } from '../../platform/records/records.ts';
import type { FilesTable, IngestionsTable } from '../../platform/records/schema.ts';
import { attributesOf } from '../files/index.ts';
import { lockProjectIfThere } from '../files/projects/index.ts';
import type { Callers } from '../identity/callers/index.ts';
import type { ServiceAnnotations } from '../lake/index.ts';
import { genomesOf } from './genomes.ts';
import type { Ingestions } from './ingestions.ts';

const consequencesJob = 'ingestions.consequences';
const attemptsMax = 3;
/** Files that are queued at once; the end of each asks for more. */
const filesMax = 20;

/** Types whose ingestion may leave a file without the consequences that it could have. */
const concerned: ReadonlySet<string> = new Set(['gff3', 'fasta', 'vcf']);

/** Queues the job in the transaction that published a file, if the project or the service has gene models. */
export async function requestConsequences(
  { jobs, serviceAnnotations }: { jobs: Pick<Jobs, 'add'>; serviceAnnotations: ServiceAnnotations },
  tx: Transaction,
  {
    account_id: account,
    project_id: project,
    type,
  }: Pick<IngestionsTable, 'account_id' | 'project_id' | 'type'>,
): Promise<void> {
  if (!concerned.has(type ?? '')) return;
  const models = await tx
    .selectFrom('segments')
    .select('id')
    .where('project_id', 'in', serviceAnnotations.sourcesOf(project))
    .where('table_name', '=', geneModel.name)
    .where('removed_version', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (models) await addJob(jobs, tx, { account, project });
}

const addJob = (
  jobs: Pick<Jobs, 'add'>,
  tx: Transaction,
  { account, project }: { account: string; project: string },
): Promise<unknown> =>
  jobs.add(tx, {
    ...{ kind: consequencesJob, class: 'background', payload: { projectId: project }, attemptsMax },
    whose: { account, project, user: '' },
    ...{ exclusiveKey: `consequences:${project}`, unlessWaiting: true },
  });

interface FillDeps {
  records: Records;
  jobs: Pick<Jobs, 'add'>;
  ingestions: Pick<Ingestions, 'queue'>;
  callers: Callers;
  serviceAnnotations: ServiceAnnotations;
}

/**
 * Handles the job: ingests VCFs again whose rows are older than the gene models, as the user who brought these; where the service
 * brought them, as the user who ingested the file. Each is an ingestion with its progress, which can be cancelled; its rows replace
 * those before at once. A file is tried once.
 */
export function fillConsequences(deps: FillDeps): JobHandler {
  const { records, jobs, ingestions, callers, serviceAnnotations } = deps;
  return {
    kind: consequencesJob,
    run: async (run) => {
      const project = run.job.payload['projectId'] ?? '';
      const genomes = await genomesOf(records.read, project, serviceAnnotations);
      if (genomes.length === 0) return;
      if (serviceAnnotations.areOf(project))
        for (const other of await projectsWithout(records.read, project)) {
          run.signal.throwIfAborted();
          await records.transact(async (tx) => {
            if (await run.holdsLease(tx)) await addJob(jobs, tx, other);
          });
        }
      const user = await userOfModels(records.read, project);
      const builds = genomes.map(({ genomeBuild }) => genomeBuild ?? '');
      for (const id of await filesWithout(records.read, project, builds)) {
        run.signal.throwIfAborted();
        await records.transact(async (tx) => {
          if (!(await run.holdsLease(tx)) || !(await lockProjectIfThere(tx, project))) return;
          if (!(await filesWithout(tx, project, builds, id)).includes(id)) return;
          const ingestion = await tx
            .selectFrom('ingestions')
            .selectAll()
            .where('id', '=', id)
            .executeTakeFirstOrThrow();
          const file = await tx
            .selectFrom('files')
            .selectAll()
            .where('id', '=', ingestion.file_id)
            .executeTakeFirstOrThrow();
          await again(tx, file, ingestion, user ?? ingestion.user_id);
        });
      }
    },
    // The next file with gene models, bases or variants asks for it again.
    onExhausted: async () => undefined,
  };

  async function again(
    tx: Transaction,
    file: FilesTable,
    ingestion: IngestionsTable,
    userId: string,
  ): Promise<void> {
    const caller = await callers.resolve({ userId, via: 'job', keyAccount: file.account_id });
    // Those who may add gene models, and not replace rows, change nothing of others.
    if (!caller?.may('ingestions.replace', { ...attributesOf(file), type: 'ingestion' })) return;
    const options = JSON.parse(ingestion.options) as ConversionOptions;
    await ingestions.queue(tx, file, { ...options, type: 'vcf' }, { userId, via: 'job' }, 'background');
  }
}

/** Lists the other projects with VCFs that had no gene models: each looks for those of their builds. */
function projectsWithout(read: Reader, but: string): Promise<{ account: string; project: string }[]> {
  return read
    .selectFrom('ingestions')
    .select(['account_id as account', 'project_id as project'])
    .where('type', '=', 'vcf')
    .where('state', '=', 'succeeded')
    .where('gene_models', 'is', null)
    .where('project_id', '!=', but)
    .distinct()
    .execute();
}

/** Returns the user who ingested the newest gene models of a project. */
async function userOfModels(read: Reader, project: string): Promise<string | undefined> {
  const row = await read
    .selectFrom('segments as s')
    .innerJoin('ingestions as i', 'i.id', 's.ingestion_id')
    .select('i.user_id')
    .where('s.project_id', '=', project)
    .where('s.table_name', '=', geneModel.name)
    .where('s.removed_version', 'is', null)
    .orderBy('s.ordinal', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.user_id;
}

/**
 * Lists ingestions of VCFs whose rows are present, and that had no gene models of their build. An overwritten file is left out: its
 * bytes are no longer those of the rows. So is one with a later ingestion, whatever became of it. `builds`: an empty one fits all.
 */
async function filesWithout(
  read: Reader | Transaction,
  project: string,
  builds: readonly string[],
  only?: string,
): Promise<string[]> {
  const rows = await read
    .selectFrom('ingestions as i')
    .innerJoin('files as f', 'f.id', 'i.file_id')
    .select('i.id')
    .where('i.project_id', '=', project)
    .where('i.type', '=', 'vcf')
    .where('i.state', '=', 'succeeded')
    .where('i.gene_models', 'is', null)
    .whereRef('f.project_id', '=', 'i.project_id')
    .whereRef('f.modified_at', '<=', 'i.ended_at')
    .$if(!builds.includes(''), (query) =>
      query.where(({ or, eb }) => or([eb('i.genome_build', 'is', null), eb('i.genome_build', 'in', builds)])),
    )
    .$if(only !== undefined, (query) => query.where('i.id', '=', only ?? ''))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('ingestions as later')
            .select('later.id')
            .whereRef('later.file_id', '=', 'i.file_id')
            .whereRef('later.id', '>', 'i.id'),
        ),
      ),
    )
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('segments as s')
          .select('s.id')
          .whereRef('s.source_file_id', '=', 'i.file_id')
          .whereRef('s.ingestion_id', '=', 'i.id')
          .where('s.removed_version', 'is', null),
      ),
    )
    .orderBy('i.id')
    .limit(filesMax)
    .execute();
  return rows.map(({ id }) => id);
}
