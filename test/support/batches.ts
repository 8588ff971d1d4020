import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files that start and kill services: they mostly wait, so a shared process saves nothing. */
const alone = /^test\/(crash|torture|faults|backup|upgrade|browser|journeys)\//;
/** Files that inspect the engine processes of their own process, which must not contain lent ones. */
const ofEngine = /^packages\/engine\//;
const filesOfBatch = 24;
/** Stress tests take minutes: long batches would end alone, while other processors idle. */
const stressOfBatch = 5;

/** Files, and the store on which their whole services are tested: both when there is none. */
export interface Selection {
  files: readonly string[];
  store?: 'sqlite' | 'postgres';
}

/**
 * Groups test files. A service that starts in a process where one has run before needs a tenth of the time: the code is hot.
 * Each file stays a suite of its own, with its hooks. Neighbours last about as long as each other and are in different batches.
 * Files that wait are in between, so that the processors are busy to the end. Returns paths in `folder` for node's test
 * runner, which begins them in the order of their names.
 */
export function batchesOf(root: string, selections: readonly Selection[], folder: string): string[] {
  const groups = evenly(
    selections.flatMap(({ files, store }) => {
      const single = files.filter((file) => alone.test(file)).map((file) => [file]);
      const others = files.filter((file) => !alone.test(file));
      const lists = [
        single,
        spread(others.filter((file) => !ofEngine.test(file))),
        spread(others.filter((file) => ofEngine.test(file))),
      ];
      return lists.map((list) => list.map((members) => ({ members, store })));
    }),
  );
  return groups.map(({ members, store }, number) => {
    const path = join(folder, `${String(number).padStart(3, '0')}.mjs`);
    writeFileSync(path, textOf(root, members, store));
    return path;
  });
}

function spread(files: readonly string[]): string[][] {
  const isStress = files.some((file) => file.endsWith('.stress.test.ts'));
  const count = Math.ceil(files.length / (isStress ? stressOfBatch : filesOfBatch));
  return Array.from({ length: count }, (_, number) => files.filter((_, place) => place % count === number));
}

/** Joins lists to one, in which each is spread alike. */
function evenly<T>(lists: readonly (readonly T[])[]): T[] {
  const placed = lists.flatMap((list) =>
    list.map((item, index) => ({ item, at: (index + 0.5) / list.length })),
  );
  return placed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

function textOf(root: string, files: readonly string[], store: Selection['store']): string {
  const suites = files.map((file) => {
    const path = JSON.stringify(join(root, file));
    const name = JSON.stringify(file);
    return `describe(${name}, () => { noteProcessorTime(${name}); return import(${path}); });\n`;
  });
  const [end, time] = ['end.ts', 'processor-time.ts'].map((name) =>
    JSON.stringify(join(import.meta.dirname, name)),
  );
  return `import { after, describe } from 'node:test';
import { end } from ${end};
import { noteProcessorTime } from ${time};
end.isCalled = true;
${store ? `process.env.PLOIDY_TEST_STORE = '${store}';` : ''}
after(() => Promise.all(end.steps.map((step) => step())));
${suites.join('')}`;
}
