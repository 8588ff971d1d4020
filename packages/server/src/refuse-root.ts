import { statSync } from 'node:fs';
import { join } from 'node:path';
import { AdminError } from './admin-error.ts';
import type { Config } from './config.ts';

/**
 * Throws for root where the service runs as another user: what root makes there that one can neither remove nor read. Who that is what the service
 * has made tells, not the folder, which somebody may have made for a container that runs as root.
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
