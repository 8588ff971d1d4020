import { existsSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../../shared/data');

/** True when the real files that some tests need are beside this checkout. CI requires them. */
export const sharedDataSkip: string | false =
  existsSync(folder) || process.env['CI'] === 'true'
    ? false
    : 'the folder ../shared/data is not beside this checkout';

/** Path of one of those files. */
export function sharedData(path: string): string {
  return join(folder, path);
}
