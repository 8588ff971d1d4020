import { statSync } from 'node:fs';
import { join } from 'node:path';
import { AdminError } from '../../base/admin-error.ts';
import type { Config } from '../../config/config.ts';

/**
 * Throws for root if the service runs as another user, which could not read or remove files of root. Files of
 * the service name this user; the folder may have been created for a container.
 */
export function refuseRoot({ dataFolder }: Config): void {
  if (process.getuid?.() !== 0) return;
  const made = ['secrets', 'scratch'].map((name) =>
    statSync(join(dataFolder, name), { throwIfNoEntry: false }),
  );
  const owner = made.find((one) => one !== undefined)?.uid ?? 0;
  if (owner === 0) return;
  throw new AdminError(
    `What is in the data folder ${dataFolder} belongs to the user with the id ${owner}: run this command as that user, not as root.`,
  );
}
