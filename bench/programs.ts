/** Programs of others that benchmarks run. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Reports whether a part of a benchmark has no programs to run, and prints which are missing. */
export function isSkipped(part: string, programs: readonly string[]): boolean {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const missing = programs.filter((program) => !folders.some((folder) => existsSync(join(folder, program))));
  if (missing.length > 0) process.stdout.write(`${part} is skipped without ${missing.join(' and ')}\n`);
  return missing.length > 0;
}
