import { statSync } from 'node:fs';
import { AdminError } from './admin-error.ts';
import type { Config } from './config.ts';

/** Throws for root in the folder of another user: what it makes there that one's service can neither remove nor read. */
export function refuseRoot({ dataFolder }: Config): void {
  const owner = statSync(dataFolder, { throwIfNoEntry: false })?.uid ?? 0;
  if (process.getuid?.() !== 0 || owner === 0) return;
  throw new AdminError(
    `The data folder ${dataFolder} belongs to the user with the id ${owner}: run this command as that user, not as root.`,
  );
}
