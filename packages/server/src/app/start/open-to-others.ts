import { chmodSync, statSync } from 'node:fs';
import type { Logger } from '../../platform/log/log.ts';

const othersRead = 0o004;
const othersWrite = 0o002;

interface Exposure {
  configFile: string | undefined;
  dataFolder: string;
  publicUrl: string | undefined;
  trustedProxies: readonly string[];
}

/**
 * Closes the data folder to other users. Warns about one that stays open and about a world-readable configuration
 * file. Refuses nothing: modes of container volumes are not always the operator's choice. Windows has no modes.
 */
export function closeToOthers(
  { configFile, dataFolder, publicUrl, trustedProxies }: Exposure,
  log: Pick<Logger, 'warn'>,
): void {
  if (publicUrl?.startsWith('https:') && trustedProxies.length === 0)
    log.warn(
      'PLOIDY_PUBLIC_URL is https, so a proxy is in front, and PLOIDY_TRUSTED_PROXIES is empty: all clients count as one address, and the faults of one at sign-in delay all',
    );
  if (process.platform === 'win32') return;
  if (configFile && lets(configFile, othersRead))
    log.warn(
      'PLOIDY_CONFIG_FILE can be read by everybody on this host, and may hold passwords: set its mode to 0600',
    );
  if (!isPrivate(dataFolder))
    log.warn(
      'everybody on this host can put other files into the place of those in the data folder, whose mode this user may not change: set it to 0700',
    );
}

/**
 * Sets the mode of a data folder to 0700: no path into it is left, whatever the modes inside. A folder of another
 * user, such as a volume of a container, keeps its mode; what the service makes inside is closed. False if all
 * users can write to it.
 */
function isPrivate(folder: string): boolean {
  const found = statSync(folder, { throwIfNoEntry: false });
  // One that is not there yet is made with this mode.
  if (!found || (found.mode & 0o777) === 0o700) return true;
  try {
    if (found.uid === process.getuid?.()) chmodSync(folder, 0o700);
  } catch {
    // A file system without modes.
  }
  return !lets(folder, othersWrite);
}

/** Tests mode bits for other users than owner and group. */
function lets(path: string, mode: number): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & mode) !== 0;
}
