import { attributesOfNew } from '../../../access/resource.ts';
import { Problem } from '../../../base/problem.ts';
import { S3Error } from '../../../platform/blobs/s3/errors.ts';
import { givenUp } from '../../../platform/jobs/given-up.ts';
import type { JobHandler, JobRun } from '../../../platform/jobs/jobs.ts';
import type { BucketsTable } from '../../../platform/records/schema-buckets.ts';
import type { Callers } from '../../identity/callers/index.ts';
import { attributesOf } from '../file.ts';
import { attributesOfBucket, bucketJob } from './bucket.ts';
import { knownFiles, Look, type LookDeps, LookFailed, LookOver, requireTurn } from './look.ts';
import type { BucketClients } from './open-buckets.ts';

interface RunDeps extends LookDeps {
  callers: Callers;
  clients: BucketClients;
}

/** Handles the job of a bucket: a look at its objects, or the removal of its files. */
export function runBuckets(deps: RunDeps): JobHandler {
  return {
    kind: bucketJob,
    run: (run) => runBucket(deps, run),
    onExhausted: async (tx, job, error) => {
      const failure = givenUp('look', job, error).message;
      const end = { state: 'failed' as const, failure, looked_at: Date.now() };
      await tx
        .updateTable('buckets')
        .set(end)
        .where('id', '=', job.payload['bucketId'] ?? '')
        .execute();
    },
  };
}

async function runBucket(deps: RunDeps, run: JobRun): Promise<void> {
  const { records } = deps;
  const bucket = await records.read
    .selectFrom('buckets')
    .selectAll()
    .where('id', '=', run.job.payload['bucketId'] ?? '')
    .executeTakeFirst();
  if (!bucket) return;
  const outcome = await (bucket.state === 'removing'
    ? disconnect(deps, run, bucket)
    : look(deps, run, bucket)
  ).catch((error: unknown): Partial<BucketsTable> | undefined => {
    if (run.signal.aborted) throw run.signal.reason;
    if (error instanceof LookOver) return undefined;
    const failure = sentenceOf(error);
    if (failure === undefined) throw error;
    run.report({ failed: 'BUCKET' });
    return { state: 'failed', failure };
  });
  if (!outcome) return;
  await records.transact(async (tx) => {
    if (!(await run.holdsLease(tx))) return;
    const isDone = tx
      .updateTable('buckets')
      .set({ ...outcome, looked_at: Date.now() })
      .where('id', '=', bucket.id);
    // A disconnection that was asked meanwhile has a job of its own.
    await isDone.where('state', '=', bucket.state).execute();
  });
}

async function look(deps: RunDeps, run: JobRun, bucket: BucketsTable): Promise<Partial<BucketsTable>> {
  await requireRights(deps, bucket);
  const found = await new Look(deps, run, bucket, await deps.clients.of(bucket)).all();
  run.report({ rows: found.files, bytes: found.bytes });
  return { ...found, state: 'ready', failure: null };
}

/** Requires the rights that connecting needed of the user who did it: they may have been withdrawn. */
async function requireRights({ callers }: RunDeps, bucket: BucketsTable): Promise<void> {
  const { account_id: account, project_id: id, creator_id: userId, ingest } = bucket;
  const caller = await callers.resolve({ userId, via: 'job', keyAccount: account });
  const project = { account, id };
  const isAllowed =
    caller?.may('buckets.connect', attributesOfBucket(bucket)) &&
    caller.may('files.create', attributesOfNew('file', project, caller)) &&
    (!ingest || caller.may('ingestions.create', attributesOfNew('ingestion', project, caller)));
  if (!isAllowed)
    throw new LookFailed(
      'The user who connected the bucket no longer has projectAdmin and createData here. A permitted user has to connect it again.',
    );
}

/** Removes the files, then the bucket; rows that were ingested stay. A file that is a table of its own has to go first. */
async function disconnect(
  { records, audit, listeners }: RunDeps,
  run: JobRun,
  bucket: BucketsTable,
): Promise<Partial<BucketsTable> | undefined> {
  let kept = 0;
  for await (const file of knownFiles(records, bucket.id)) {
    run.signal.throwIfAborted();
    const removal = records.transact(async (tx) => {
      await requireTurn(tx, run, bucket);
      const gone = await tx
        .deleteFrom('files')
        .where('id', '=', file.id)
        .where('blob_key', '=', file.blob_key)
        .executeTakeFirst();
      if (gone.numDeletedRows === 0n) return;
      for (const listener of listeners.deleted) await listener(tx, file.id, true);
      await audit.append(tx, {
        ...{ account: bucket.account_id, userId: bucket.creator_id, via: 'job', outcome: 'done' },
        action: 'files.delete',
        resource: attributesOf(file),
        details: { size: file.size, keepRows: true, bucket: bucket.id },
      });
    });
    await removal.catch((error: unknown) => {
      if (!(error instanceof Problem && error.status === 409)) throw error;
      kept += 1;
    });
  }
  if (kept > 0)
    throw new LookFailed(
      `${kept} of its files are tables of their own. Delete these, then disconnect again.`,
    );
  await records.transact(async (tx) => {
    await requireTurn(tx, run, bucket);
    await tx.deleteFrom('buckets').where('id', '=', bucket.id).execute();
  });
  return undefined;
}

/** Explains a failure that another attempt would not mend; `undefined` for others. */
function sentenceOf(error: unknown): string | undefined {
  if (error instanceof LookFailed) return error.message;
  if (!(error instanceof S3Error)) return undefined;
  if (error.status === 403 || error.status === 401)
    return 'The bucket refuses the key. It has to allow s3:ListBucket on the bucket and s3:GetObject on its objects.';
  if (error.status === 404) return 'There is no such bucket at this address.';
  if (error.status === 301 || error.status === 307)
    return 'The bucket is in another region: name it in the address, as in ?region=eu-central-1.';
  return undefined;
}
