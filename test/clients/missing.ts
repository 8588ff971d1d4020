import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Finds the reason to skip a test: a missing language. In CI it has to be there. */
export async function missing(...programs: string[]): Promise<string | false> {
  if (process.env['CI'] === 'true') return false;
  for (const program of programs) {
    const found = await run('which', [program]).then(
      () => true,
      () => false,
    );
    if (!found) return `${program} is not installed`;
  }
  return false;
}
