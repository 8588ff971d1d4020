import { Problem } from '../../../base/problem.ts';
import type { Records, Transaction } from '../../../platform/records/records.ts';
import type { UploadsTable } from '../../../platform/records/schema.ts';
import type { Holders } from '../../identity/addresses/index.ts';
import type { Callers } from '../../identity/callers/index.ts';
import { attributesOf, attributesOfUpload } from '../file.ts';
import { fileByName, findFile } from '../store.ts';

/**
 * Checks the current rights of the creator of an upload, and that the credential of its address has not ended. Otherwise a
 * removed member, or the finder of a revoked key, could replace files until the signed addresses expire.
 */
export class UploadRights {
  readonly #records: Pick<Records, 'read'>;
  readonly #callers: Callers;
  readonly #holders: Holders;

  constructor(records: Pick<Records, 'read'>, callers: Callers, holders: Holders) {
    this.#records = records;
    this.#callers = callers;
    this.#holders = holders;
  }

  /** Reports whether a credential may still send bytes. */
  async isLive(via: string): Promise<boolean> {
    return (await this.#holders.find(via)) !== undefined;
  }

  /** Requires, in the transaction that adopts bytes, that their credential has not ended. Problem 403. */
  async hold(tx: Transaction, via: string | null): Promise<void> {
    if (via !== null) await this.#holders.hold(tx, via);
  }

  /**
   * Problem 403 if the credential has ended, or its user may not create the file or replace the existing one. `via`: the
   * credential of the address of the bytes; null for uploads begun by an earlier version.
   */
  async require(begun: UploadsTable, via: string | null): Promise<void> {
    const { read } = this.#records;
    // The file, and the upload with it, may have been renamed while bytes arrived.
    const present = read.selectFrom('uploads').selectAll().where('id', '=', begun.id);
    const upload = (await present.executeTakeFirst()) ?? begun;
    const { owner_id: userId, account_id: account, project_id: dataset, file_id, name } = upload;
    const caller =
      via === null
        ? await this.#callers.resolve({ userId, via: 'signature', keyAccount: account })
        : await this.#holders.require(via);
    const replaces = upload.replaces === 1 || upload.overwrite === 1;
    const holder = replaces ? await fileByName(read, dataset, name) : undefined;
    const target = replaces ? ((await findFile(read, file_id)) ?? holder) : undefined;
    // As at the start: `updateData` for a file that existed, also for the same bytes; else `createData` until
    // another upload creates it.
    const isReplacement = target && (upload.replaces === 1 || target.blob_key !== upload.made_blob);
    // An overwrite takes over the name of the file that has it by now, and deletes that file.
    const goes = upload.overwrite === 1 && holder?.id !== target?.id ? holder : undefined;
    const allowed =
      (isReplacement
        ? caller?.may('files.overwrite', attributesOf(target))
        : caller?.may('files.create', attributesOfUpload(upload))) &&
      (!goes || caller?.may('files.overwrite', attributesOf(goes)));
    if (allowed) return;
    const message =
      'The user who began this upload may no longer do so. A permitted user has to begin it again.';
    throw new Problem(403, 'FORBIDDEN', message);
  }
}
