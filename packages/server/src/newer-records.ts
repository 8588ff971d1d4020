import { isUnavailable, newerStep, type Records } from './platform/records/index.ts';

/**
 * To be called every few seconds where several processes share the records: `end` is called once a newer version has brought them forward.
 * What this one would write from then on lacks what the newer one relies on.
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
