import type { Readable } from 'node:stream';
import type { Caller } from '../../../access/caller.ts';
import { Answer, bodyFor } from '../../../api/route.ts';
import { newId } from '../../../base/ids.ts';
import { notFound, Problem } from '../../../base/problem.ts';
import type { BlobInfo, Blobs } from '../../../platform/blobs/blobs.ts';
import { orDiscard, removeFreed } from '../../../platform/blobs/remove-freed.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { PicturesTable } from '../../../platform/records/schema-people.ts';
import type { Audit } from '../../audit/index.ts';
import type { Holders, SignedAddresses } from '../addresses/index.ts';
import { imageHeadBytes, imageTypeOf } from './image-type.ts';
import { appendOwnChange, type By } from './oneself.ts';
import { lockUser } from './users.ts';

/** Max. bytes of a picture (docs/api/people.md). */
export const pictureBytesMax = 5 * 1024 * 1024;

const purpose = 'GET picture';

interface PictureDeps {
  records: Records;
  blobs: Blobs;
  audit: Audit;
  addresses: SignedAddresses;
  holders: Holders;
}

/** Pictures of users: one each, stored as a blob. */
export class Pictures {
  readonly #deps: PictureDeps;

  constructor(deps: PictureDeps) {
    this.#deps = deps;
  }

  /** Finds the picture of a user; throws 404 without one. */
  async of(userId: string): Promise<PicturesTable> {
    const row = await this.#deps.records.read
      .selectFrom('pictures')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirst();
    if (!row) throw notFound();
    return row;
  }

  /** Returns a signed address for this picture and no later one. */
  downloadUrl({ id }: PicturesTable, holder: Pick<Caller, 'via'>): string {
    return this.#deps.addresses.sign({ purpose, path: `/v1/transfers/pictures/${id}`, holder });
  }

  /** Replaces the caller's picture durably. Throws 415 for bytes of no supported image. */
  async put(bytes: { stream: Readable; size: number; signal: AbortSignal }, by: By): Promise<PicturesTable> {
    const { blobs } = this.#deps;
    const { stream, size, signal } = bytes;
    const blob = await blobs.put(stream, { size, sizeMax: pictureBytesMax, signal });
    const discard = () => removeFreed(blobs, [blob.key]);
    const { row, freed } = await orDiscard(discard, async () =>
      this.#adopt(blob, await this.#typeOf(blob), by),
    );
    if (freed !== undefined) await removeFreed(blobs, [freed]);
    return row;
  }

  /** Removes the caller's picture; throws 404 without one. */
  async remove(by: By): Promise<void> {
    const { records, audit, blobs } = this.#deps;
    const key = await records.transact(async (tx) => {
      const gone = await tx
        .deleteFrom('pictures')
        .where('user_id', '=', by.caller.userId)
        .returning('blob_key')
        .executeTakeFirst();
      if (!gone) throw notFound();
      await appendOwnChange(audit, tx, by, { action: 'users.writePicture', details: { size: 0 } });
      return gone.blob_key;
    });
    await removeFreed(blobs, [key]);
  }

  /** Serves the bytes of a signed address, only as the detected image type. */
  async serve(id: string, request: { url: string; method: string }): Promise<Answer> {
    const { records, blobs, addresses } = this.#deps;
    await addresses.open(purpose, request.url);
    const row = await records.read.selectFrom('pictures').selectAll().where('id', '=', id).executeTakeFirst();
    if (!row) throw notFound();
    const body = await bodyFor(request.method, () => blobs.open(row.blob_key));
    return new Answer(200, body, {
      'content-type': row.content_type,
      'content-length': String(row.size),
      'content-disposition': `attachment; filename="picture.${row.content_type.slice('image/'.length)}"`,
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, max-age=300',
    });
  }

  async #typeOf({ key, size }: BlobInfo): Promise<string> {
    const head = await this.#deps.blobs.open(key, { start: 0, end: Math.min(imageHeadBytes, size) });
    const contentType = imageTypeOf(Buffer.concat(await head.toArray()));
    if (contentType === undefined) throw unsupportedImage();
    return contentType;
  }

  #adopt(
    blob: BlobInfo,
    content_type: string,
    by: By,
  ): Promise<{ row: PicturesTable; freed: string | undefined }> {
    const { records, audit, holders } = this.#deps;
    const { key: blob_key, size, sha256 } = blob;
    const user_id = by.caller.userId;
    return records.transact(async (tx) => {
      if (!(await lockUser(tx, user_id))) throw notFound();
      await holders.hold(tx, by.caller.via);
      const before = await tx
        .deleteFrom('pictures')
        .where('user_id', '=', user_id)
        .returning('blob_key')
        .executeTakeFirst();
      const row = { user_id, id: newId(), blob_key, content_type, size, sha256, created_at: Date.now() };
      await tx.insertInto('pictures').values(row).execute();
      await appendOwnChange(audit, tx, by, { action: 'users.writePicture', details: { size } });
      return { row, freed: before?.blob_key };
    });
  }
}

/** Refuses bytes or a type of no supported image. */
export function unsupportedImage(): Problem {
  return new Problem(415, 'UNSUPPORTED_IMAGE', 'Send a picture as PNG, JPEG, WebP or GIF.');
}
