import type { Agents, OpenBucket } from '../../../platform/blobs/index.ts';
import { parseAddress } from '../../../platform/blobs/s3/address.ts';
import type { S3Client } from '../../../platform/blobs/s3/client.ts';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { BucketsTable } from '../../../platform/records/schema-buckets.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { secretContext } from './bucket.ts';

interface BucketClientDeps {
  records: Records;
  secrets: Secrets;
  outbound: Pick<Outbound, 'faultIn'>;
  /** Connections that reach permitted addresses only. */
  agents: Agents;
}

/** Clients that stay open for buckets in use. */
const clientsMax = 50;

/** Clients of connected buckets, each made for the address and key that the records have. */
export class BucketClients {
  readonly #deps: BucketClientDeps;
  /** Least recently used first. `of`: the values that the client was made of. */
  readonly #clients = new Map<string, { of: string; client: S3Client }>();

  constructor(deps: BucketClientDeps) {
    this.#deps = deps;
  }

  /** Opens a connected bucket by its id; `undefined` if there is none. */
  readonly open: OpenBucket = async (id) => {
    const row = await this.#deps.records.read
      .selectFrom('buckets')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirst();
    return row && this.of(row);
  };

  async of(row: Pick<BucketsTable, 'id' | 'address' | 'key_id' | 'secret_sealed'>): Promise<S3Client> {
    const of = JSON.stringify([row.address, row.key_id, row.secret_sealed]);
    const held = this.#clients.get(row.id);
    this.#clients.delete(row.id);
    if (held && held.of !== of) held.client.close();
    const client = held?.of === of ? held.client : await this.#make(row);
    this.#clients.set(row.id, { of, client });
    const [oldest] = this.#clients;
    if (oldest && this.#clients.size > clientsMax) {
      this.#clients.delete(oldest[0]);
      oldest[1].client.close();
    }
    return client;
  }

  async #make({ id, address: text, key_id, secret_sealed }: Parameters<BucketClients['of']>[0]) {
    const { secrets, agents, outbound } = this.#deps;
    const address = parseAddress(text);
    if (!address || outbound.faultIn(address.endpoint.href))
      throw new Error('The address of a bucket is permitted no longer.');
    const { S3Client } = await import('../../../platform/blobs/s3/client.ts');
    const credentials =
      key_id === null || secret_sealed === null
        ? undefined
        : { accessKeyId: key_id, secretAccessKey: secrets.open(secret_sealed, secretContext(id)) };
    const isAnonymous = credentials === undefined;
    return new S3Client(address, { credentials, isAnonymous, agents, encryption: 'none', kmsKeyId: '' });
  }

  close(): void {
    for (const { client } of this.#clients.values()) client.close();
    for (const agent of Object.values(this.#deps.agents)) agent.destroy();
  }
}
