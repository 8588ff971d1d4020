/** Why a command on the host was refused or ended, in a sentence for who runs it. */
export class AdminError extends Error {}

/** Throws what opening a part said (no master key, records of a newer version) as the reason of the refusal. */
export function refuseFor(error: unknown): never {
  throw new AdminError(error instanceof Error ? error.message : String(error), { cause: error });
}
