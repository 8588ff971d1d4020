import { Problem } from '../../../base/problem.ts';
import type { Records } from '../../../platform/records/records.ts';
import type { UploadsTable } from '../../../platform/records/schema.ts';
import type { Callers } from '../../identity/callers/index.ts';
import { attributesOf, attributesOfUpload } from '../file.ts';
import { fileByName, findFile } from '../store.ts';

/**
 * Checks what the creator of an upload may do now, not when it began. Else a removed member could replace
 * files until the signed addresses expire.
 */
export class UploadRights {
  readonly #records: Pick<Records, 'read'>;
  readonly #callers: Callers;

  constructor(records: Pick<Records, 'read'>, callers: Callers) {
    this.#records = records;
    this.#callers = callers;
  }

  /** Problem 403 if the creator may no longer create the file or replace the present one. */
  async require(begun: UploadsTable): Promise<void> {
    const { read } = this.#records;
    // The file, and the upload with it, may have been renamed while bytes arrived.
    const present = read.selectFrom('uploads').selectAll().where('id', '=', begun.id);
    const upload = (await present.executeTakeFirst()) ?? begun;
    const { owner_id: userId, account_id: account, project_id: dataset, file_id, name } = upload;
    const caller = await this.#callers.resolve({ userId, via: 'signature', keyAccount: account });
    const replaces = upload.replaces === 1 || upload.overwrite === 1;
    const holder = replaces ? await fileByName(read, dataset, name) : undefined;
    const target = replaces ? ((await findFile(read, file_id)) ?? holder) : undefined;
    // As at the start: `updateData` for a file that existed, also for the same bytes; else `createData` until
    // another upload creates it.
    const isReplacement = target && (upload.replaces === 1 || target.blob_key !== upload.made_blob);
    // An overwrite takes the name from the file that has it by now, and deletes that file.
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
