import type { Records } from '../../platform/records/records.ts';
import type { UploadsTable } from '../../platform/records/schema.ts';
import { Problem } from '../../problem.ts';
import type { Callers } from '../callers/index.ts';
import { attributesOf } from './file.ts';
import { fileByName, findFile } from './store.ts';

/**
 * What the address of an upload is good for: for what whoever began it may do now, not when he began. Else somebody who has left could
 * go on replacing files until his addresses expire.
 */
export class UploadRights {
  readonly #records: Pick<Records, 'read'>;
  readonly #callers: Callers;

  constructor(records: Pick<Records, 'read'>, callers: Callers) {
    this.#records = records;
    this.#callers = callers;
  }

  /** Problem 403 when he may no longer make the file, or replace the one that is there. */
  async require(begun: UploadsTable): Promise<void> {
    const { read } = this.#records;
    // Its file may have been renamed while bytes came, and the upload with it.
    const present = read.selectFrom('uploads').selectAll().where('id', '=', begun.id);
    const upload = (await present.executeTakeFirst()) ?? begun;
    const { owner_id: userId, account_id: account, project_id: dataset, file_id, name } = upload;
    const caller = await this.#callers.resolve({ userId, via: 'signature', keyAccount: account });
    const replaces = upload.replaces === 1 || upload.overwrite === 1;
    const holder = replaces ? await fileByName(read, dataset, name) : undefined;
    const target = replaces ? ((await findFile(read, file_id)) ?? holder) : undefined;
    // As when it began: of a file that was there `updateData`, also for the same bytes again; else `createData`, until others have one there.
    const isReplacement = target && (upload.replaces === 1 || target.blob_key !== upload.made_blob);
    // Who overwrites takes the name from whatever else has it by then, and that file goes.
    const goes = upload.overwrite === 1 && holder?.id !== target?.id ? holder : undefined;
    const allowed =
      (isReplacement
        ? caller?.may('files.overwrite', attributesOf(target))
        : caller?.may('files.create', { account, dataset, type: 'project', id: dataset })) &&
      (!goes || caller?.may('files.overwrite', attributesOf(goes)));
    if (allowed) return;
    const message = 'Whoever began this upload may no longer do it. Somebody who may has to begin it again.';
    throw new Problem(403, 'FORBIDDEN', message);
  }
}
