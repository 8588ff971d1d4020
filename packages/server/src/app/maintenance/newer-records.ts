import { isUnavailable, newerStep, type Records } from '../../platform/records/index.ts';

/**
 * Returns a periodic check that calls `end` once a newer version has migrated the records. Rows of this
 * version would lack data that the newer one expects.
 */
export function newerRecordsWatch(records: Records, end: (error: Error) => void): () => Promise<void> {
  return async () => {
    const step = await newerStep(records.read).catch((error: unknown) => {
      if (isUnavailable(error)) return undefined;
      throw error;
    });
    if (step !== undefined)
      end(
        new Error(
          `A newer version has changed the records (it made the change "${step}"), which this one must not write to any more: start that version here, too.`,
        ),
      );
  };
}
