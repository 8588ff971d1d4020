import { statSync } from 'node:fs';
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
 * Warns about a world-readable configuration file or a world-writable data folder. Refuses nothing: modes of
 * container volumes are not always the operator's choice. Windows has no modes.
 */
export function warnOfOthers(
  { configFile, dataFolder, publicUrl, trustedProxies }: Exposure,
  log: Pick<Logger, 'warn'>,
): void {
  if (publicUrl?.startsWith('https:') && trustedProxies.length === 0)
    log.warn(
      'PLOIDY_PUBLIC_URL is https, so a proxy is in front, and PLOIDY_TRUSTED_PROXIES is empty: all clients count as one address, and the mistakes of one at sign-in delay all',
    );
  if (process.platform === 'win32') return;
  if (configFile && lets(configFile, othersRead))
    log.warn(
      'PLOIDY_CONFIG_FILE can be read by everybody on this host, and may hold passwords: set its mode to 0600',
    );
  if (lets(dataFolder, othersWrite))
    log.warn(
      'everybody on this host can put other files into the place of those in the data folder: set its mode to 0700',
    );
}

/** Tests mode bits for other users than owner and group. */
function lets(path: string, mode: number): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & mode) !== 0;
}
