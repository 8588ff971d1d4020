import type { Hold } from '../blobs.ts';
import { holdsUntil, keepAlive, lastingHold } from '../holds.ts';
import { newKey } from '../keys.ts';
import { bytesBody } from './body.ts';
import type { S3Client } from './client.ts';
import { problemOf } from './errors.ts';

/** Beside the blobs, so that every process of the store sees them. */
const holdFolder = 'holds/';

/** As `FolderHolds`, with objects of the store, by the store's clock. */
export class StoreHolds {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async take(): Promise<Hold> {
    const key = holdFolder + newKey();
    const renew = () => this.#client.put(key, bytesBody(Buffer.from('held')));
    try {
      await renew();
    } catch (error) {
      throw problemOf(error);
    }
    return keepAlive(renew, () => this.#client.remove(key));
  }

  async last(ms: number): Promise<void> {
    try {
      const { now } = await this.#client.list(holdFolder);
      await this.#client.put(holdFolder + lastingHold(now + ms), bytesBody(Buffer.from('held')));
    } catch (error) {
      throw problemOf(error);
    }
  }

  async any(): Promise<boolean> {
    for await (const { isAlive } of this.#all()) if (isAlive) return true;
    return false;
  }

  /** Removes those of processes that are gone. */
  async sweep(): Promise<void> {
    for await (const { key, isAlive } of this.#all()) if (!isAlive) await this.#client.remove(key);
  }

  async *#all(): AsyncGenerator<{ key: string; isAlive: boolean }> {
    let after: string | undefined;
    do {
      const { objects, next, now } = await this.#client.list(holdFolder, after);
      for (const { key, modifiedAt } of objects)
        yield { key, isAlive: holdsUntil(key.slice(holdFolder.length), modifiedAt) > now };
      after = next;
    } while (after !== undefined);
  }
}
