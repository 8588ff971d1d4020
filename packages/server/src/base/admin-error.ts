/** Refusal or failure of a command on the host, worded for the operator. */
export class AdminError extends Error {}

/** Throws the error of opening a store (no master key, records of a newer version) as an `AdminError`. */
export function refuseFor(error: unknown): never {
  throw new AdminError(error instanceof Error ? error.message : String(error), { cause: error });
}
