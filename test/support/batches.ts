import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe } from 'node:test';
import { end } from './end.ts';

const root = join(import.meta.dirname, '../..');
/** Files that inspect the engine processes of their own process, which must not contain lent ones. */
const ofEngine = /^packages\/engine\//;
/** Files of whole services, often in processes of their own: they take ten times as long as others of their length. */
const long = /^test\//;

/** Files, and the store on which their whole services are tested: both when there is none. */
export interface Selection {
  files: readonly string[];
  store?: 'sqlite' | 'postgres';
}

/**
 * Writes the scripts of the processes of a run, for node's test runner, which begins them by name. The `count` processes of
 * a selection share its files: each runs the next one as soon as it is free (`takeFiles`). So no processor idles up to
 * the end. Code is read, compiled and made hot once in a process: a second service starts in a tenth of the time.
 */
export function batchesOf(
  selections: readonly Selection[],
  { folder, count, durations }: { folder: string; count: number; durations: Record<string, number> },
): string[] {
  return selections.flatMap(({ files, store }, number) => {
    const list = join(folder, `${number}.json`);
    writeFileSync(list, JSON.stringify(longestFirst(files, durations)));
    return Array.from({ length: Math.min(count, files.length) }, (_, place) => {
      const path = join(folder, `${number}-${place}.mjs`);
      writeFileSync(path, scriptOf(list, store));
      return path;
    });
  });
}

/** Files by what they took in the last run; where it is unknown, by their length. Those of the engine come first, before engines are lent. */
function longestFirst(files: readonly string[], durations: Record<string, number>): string[] {
  const weight = (file: string): number => {
    if (ofEngine.test(file)) return Number.MAX_VALUE;
    return durations[file] ?? statSync(join(root, file)).size / (long.test(file) ? 400 : 4000);
  };
  return [...files].sort((one, other) => weight(other) - weight(one));
}

function scriptOf(list: string, store: Selection['store']): string {
  return `import { takeFiles } from ${JSON.stringify(import.meta.filename)};
${store ? `process.env.PLOIDY_TEST_STORE = '${store}';` : ''}
await takeFiles(${JSON.stringify(list)});
`;
}

/** Runs files of a list that no other process runs, each as a suite with its own hooks. */
export async function takeFiles(list: string): Promise<void> {
  const files: string[] = JSON.parse(readFileSync(list, 'utf8'));
  end.isCalled = true;
  const close = async (): Promise<void> => void (await Promise.all(end.steps.map((step) => step())));
  for (const file of files) {
    if (!take(claimOf(dirname(list), file))) continue;
    if (ofEngine.test(file)) await close();
    await describe(file, () => import(join(root, file)));
  }
  await close();
}

/** Path of the mark that a process has taken a file. */
export function claimOf(folder: string, file: string): string {
  return join(folder, encodeURIComponent(file));
}

/** Makes the mark, unless another process has made it. */
function take(claim: string): boolean {
  try {
    writeFileSync(claim, '', { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
