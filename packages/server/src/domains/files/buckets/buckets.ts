import type { Caller } from '../../../access/caller.ts';
import { newId } from '../../../base/ids.ts';
import { conflict, invalidInput, notFound } from '../../../base/problem.ts';
import { parseAddress } from '../../../platform/blobs/s3/address.ts';
import type { Jobs } from '../../../platform/jobs/jobs.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import { insecurity } from '../../../platform/outbound/secure-address.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { BucketsTable } from '../../../platform/records/schema-buckets.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { type Audit, type AuditAction, actor } from '../../audit/index.ts';
import { nameFault, relativeName } from '../file.ts';
import { lockProject } from '../projects/index.ts';
import { attributesOfBucket, bucketJob, secretContext } from './bucket.ts';

type By = { caller: Caller; requestId: string };

/** Fields of a request to connect a bucket. */
interface NewBucket {
  address: string;
  folder?: string;
  ingest?: boolean;
  accessKeyId?: string;
  secretAccessKey?: string;
}

interface BucketDeps {
  records: Records;
  secrets: Secrets;
  audit: Audit;
  jobs: Jobs;
  outbound: Pick<Outbound, 'faultIn'>;
}

const bucketsMax = 100;
/** Age of a look after which a bucket is looked at again by itself. */
const lookEveryMs = 3_600_000;

/** Buckets whose objects are files of projects. The records hold their secrets only sealed. */
export class Buckets {
  readonly #deps: BucketDeps;

  constructor(deps: BucketDeps) {
    this.#deps = deps;
  }

  async find(id: string): Promise<BucketsTable | undefined> {
    return this.#deps.records.read.selectFrom('buckets').selectAll().where('id', '=', id).executeTakeFirst();
  }

  /** Lists the buckets of a project, oldest first: at most `bucketsMax`. */
  async list(project: string): Promise<BucketsTable[]> {
    return this.#deps.records.read
      .selectFrom('buckets')
      .selectAll()
      .where('project_id', '=', project)
      .orderBy('id')
      .execute();
  }

  /** Connects a bucket and looks at it. Problem 409 `TOO_MANY_BUCKETS`. */
  async connect(project: { account: string; id: string }, given: NewBucket, by: By): Promise<BucketsTable> {
    this.#requireValid(given);
    const { records, secrets } = this.#deps;
    const { accessKeyId, secretAccessKey } = given;
    const folder = relativeName(given.folder ?? '');
    const id = newId();
    const row: BucketsTable = {
      ...{ id, account_id: project.account, project_id: project.id, creator_id: by.caller.userId },
      address: given.address,
      folder: folder && `${folder.replace(/\/$/, '')}/`,
      ingest: given.ingest === true ? 1 : 0,
      key_id: accessKeyId ?? null,
      secret_sealed: secretAccessKey === undefined ? null : secrets.seal(secretAccessKey, secretContext(id)),
      ...{ state: 'looking', failure: null, files: 0, bytes: 0, skipped: 0, missing: 0 },
      ...{ looked_at: null, created_at: Date.now() },
    };
    await records.transact(async (tx) => {
      await lockProject(tx, project.id);
      const { count } = await tx
        .selectFrom('buckets')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('project_id', '=', project.id)
        .executeTakeFirstOrThrow();
      if (Number(count) >= bucketsMax)
        throw conflict('TOO_MANY_BUCKETS', `A project may have ${bucketsMax} buckets. Disconnect some.`);
      await tx.insertInto('buckets').values(row).execute();
      await this.#queue(tx, row);
      await this.#record(tx, 'buckets.connect', row, by);
    });
    return row;
  }

  /** Looks at a bucket again; of a look that waits this is none. */
  async look(bucket: BucketsTable, by: By): Promise<BucketsTable> {
    return this.#deps.records.transact(async (tx) => {
      const row = await this.#begin(tx, bucket.id, 'looking');
      await this.#record(tx, 'buckets.look', row, by);
      return row;
    });
  }

  /** Ends the files of a bucket, then the bucket; its objects stay as they are. */
  async disconnect(bucket: BucketsTable, by: By): Promise<BucketsTable> {
    return this.#deps.records.transact(async (tx) => {
      const row = await this.#begin(tx, bucket.id, 'removing');
      await this.#record(tx, 'buckets.disconnect', row, by);
      return row;
    });
  }

  /** Looks at buckets whose last look is long ago: changes are noticed without a request. */
  async lookDue(now = Date.now()): Promise<void> {
    const due = await this.#deps.records.read
      .selectFrom('buckets')
      .select('id')
      .where('looked_at', '<', now - lookEveryMs)
      .where('state', 'in', ['ready', 'failed'])
      .orderBy('looked_at')
      .limit(100)
      .execute();
    for (const { id } of due)
      await this.#deps.records.transact(async (tx) => {
        const row = await lockBucket(tx, id);
        if (row?.state === 'ready' || row?.state === 'failed') await this.#begin(tx, id, 'looking');
      });
  }

  async #begin(tx: Transaction, id: string, state: 'looking' | 'removing'): Promise<BucketsTable> {
    const present = await lockBucket(tx, id);
    if (!present) throw notFound();
    // A disconnection goes on: no look follows it.
    const next = present.state === 'removing' ? present.state : state;
    await tx.updateTable('buckets').set({ state: next }).where('id', '=', id).execute();
    await this.#queue(tx, present);
    return { ...present, state: next };
  }

  async #queue(tx: Transaction, { id, account_id, project_id, creator_id }: BucketsTable): Promise<void> {
    await this.#deps.jobs.add(tx, {
      ...{ kind: bucketJob, class: 'sync', payload: { bucketId: id }, attemptsMax: 3 },
      whose: { account: account_id, project: project_id, user: creator_id },
      ...{ exclusiveKey: `bucket:${id}`, unlessWaiting: true },
    });
  }

  #requireValid({ address: text, folder = '', accessKeyId, secretAccessKey }: NewBucket): void {
    const address = parseAddress(text);
    const name = relativeName(folder).replace(/\/$/, '');
    const fault =
      address && (insecurity(address.endpoint) ?? this.#deps.outbound.faultIn(address.endpoint.href));
    const isHalf = (accessKeyId === undefined) !== (secretAccessKey === undefined);
    const faults: [path: string, message: string | false | undefined][] = [
      [
        'address',
        (!address || text.includes('publicEndpoint')) &&
          'must be like s3://bucket/prefix?region=eu-central-1, or with &endpoint=https://…',
      ],
      ['address', fault && `has an endpoint that ${fault}`],
      ['folder', name !== '' && nameFault(name, 256)],
      ['secretAccessKey', isHalf && 'belongs to accessKeyId: give both, or neither for a public bucket'],
    ];
    const found = faults.flatMap(([path, message]) => (message ? [{ path: `body/${path}`, message }] : []));
    if (found.length > 0) throw invalidInput(found);
  }

  async #record(tx: Transaction, action: AuditAction, row: BucketsTable, by: By): Promise<void> {
    await this.#deps.audit.append(tx, {
      account: row.account_id,
      ...actor(by.caller, by.requestId),
      action,
      resource: attributesOfBucket(row),
      outcome: 'done',
      details: { bucket: row.id, address: row.address },
    });
  }
}

/** Locks a bucket until the transaction ends. */
async function lockBucket(tx: Transaction, id: string): Promise<BucketsTable | undefined> {
  return tx.updateTable('buckets').set({ id }).where('id', '=', id).returningAll().executeTakeFirst();
}
