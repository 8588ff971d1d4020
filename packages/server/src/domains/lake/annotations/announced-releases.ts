import { annotationChange } from '@ploidy/formats/tables';
import type { JobHandler, Jobs } from '../../../platform/jobs/jobs.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { IngestionsTable } from '../../../platform/records/schema.ts';
import { type Audit, type AuditEvent, onBehalf } from '../../audit/index.ts';
import { projectsWithVariants } from './annotation-work.ts';
import type { ServiceAnnotations } from './service-annotations.ts';

const announceJob = 'lake.announce';
const attemptsMax = 3;

interface AnnounceDeps {
  audit: Audit;
  jobs: Pick<Jobs, 'add'>;
  serviceAnnotations: ServiceAnnotations;
}

/**
 * Announces a release that changed values of the one before, in the transaction that publishes it. It is announced whether samples
 * carry a changed allele or not, so that the event shows nothing about them. `tables`: rows that it has in each table.
 */
export async function announceRelease(
  tx: Transaction,
  { audit, jobs, serviceAnnotations }: AnnounceDeps,
  ingestion: Pick<IngestionsTable, 'id' | 'account_id' | 'user_id' | 'project_id'>,
  tables: Readonly<Record<string, number>>,
): Promise<void> {
  const changes = tables[annotationChange.name] ?? 0;
  if (changes === 0) return;
  const { id, account_id: account, project_id: project } = ingestion;
  if (serviceAnnotations.areOf(project))
    await jobs.add(tx, {
      ...{ kind: announceJob, class: 'background', attemptsMax },
      payload: { projectId: project, ingestionId: id, changes: String(changes) },
      whose: { account, project, user: '' },
    });
  await audit.append(tx, { ...onBehalf(ingestion), ...releaseOf(project, changes) });
}

/** Handles the job: announces a release of the service to each other project with variants, once. */
export function announceReleases({ records, audit }: { records: Records; audit: Audit }): JobHandler {
  return {
    kind: announceJob,
    run: async (run) => {
      const { projectId: source, ingestionId = '', changes } = run.job.payload;
      for (const project of await projectsWithVariants(records.read)) {
        run.signal.throwIfAborted();
        if (project === source) continue;
        await records.transact(async (tx) => {
          if (!(await run.holdsLease(tx))) return;
          const noted = await tx
            .updateTable('lakes')
            .set({ announced_release: ingestionId })
            .where('project_id', '=', project)
            .where(({ eb, or }) =>
              or([eb('announced_release', 'is', null), eb('announced_release', '!=', ingestionId)]),
            )
            .executeTakeFirst();
          if (noted.numUpdatedRows === 0n) return;
          // An account that is being removed has a closed log.
          const owner = await tx
            .selectFrom('projects')
            .innerJoin('audit_heads', 'audit_heads.account_id', 'projects.account_id')
            .select('projects.account_id as account')
            .where('projects.id', '=', project)
            .where('audit_heads.closed_at', 'is', null)
            .executeTakeFirst();
          if (!owner) return;
          const by = { ...owner, userId: null, via: 'job', outcome: 'done' } as const;
          await audit.append(tx, { ...by, ...releaseOf(project, Number(changes)) });
        });
      }
    },
    // The list of changes has them all the same.
    onExhausted: async () => undefined,
  };
}

const releaseOf = (
  dataset: string,
  changes: number,
): Pick<AuditEvent, 'action' | 'resource' | 'details'> & { details: { changes: number } } => ({
  action: 'annotations.release',
  resource: { type: 'table', dataset },
  details: { changes },
});
