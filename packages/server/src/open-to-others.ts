import { statSync } from 'node:fs';
import type { Logger } from './log.ts';

const othersRead = 0o004;
const othersWrite = 0o002;

/**
 * Warns of what everybody on the host can get at. Nothing is refused: volumes of containers have the modes that somebody else gives them, and
 * what is in the data folder has modes of its own. Windows has no such modes.
 */
export function warnOfOthers(
  { configFile, dataFolder }: { configFile: string | undefined; dataFolder: string },
  log: Pick<Logger, 'warn'>,
): void {
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

/** `mode`: bits of those who are neither the owner nor of his group. */
function lets(path: string, mode: number): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & mode) !== 0;
}
