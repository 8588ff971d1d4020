import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What starts services of its own and kills them gains nothing from company: it mostly waits. */
const alone = /^test\/(crash|torture|faults|backup|upgrade|browser|journeys)\//;
const filesOfBatch = 16;

/**
 * Puts test files together: a service that starts in a process where one has run before takes a tenth of the time, because the
 * code is compiled and hot. Each file stays a suite of its own, with its hooks. Neighbours, which take about as long as each other, come
 * into different batches, and those that wait in between, so that the processors have something to do up to the end. Answers paths in
 * `folder` for node's test runner, which begins them in the order of their names.
 */
export function batchesOf(root: string, files: readonly string[], folder: string): string[] {
  const single = files.filter((file) => alone.test(file));
  const others = files.filter((file) => !alone.test(file));
  const count = Math.ceil(others.length / filesOfBatch);
  const batches = Array.from({ length: count }, (_, number) =>
    others.filter((_, place) => place % count === number),
  );
  const groups = evenly(
    single.map((file) => [file]),
    batches,
  );
  return groups.map((members, number) => {
    const path = join(folder, `${String(number).padStart(3, '0')}.mjs`);
    writeFileSync(path, textOf(root, members));
    return path;
  });
}

/** Two lists as one, in which both are spread alike. */
function evenly<T>(one: readonly T[], other: readonly T[]): T[] {
  const placed = [one, other].flatMap((list) =>
    list.map((item, index) => ({ item, at: (index + 0.5) / list.length })),
  );
  return placed.sort((a, b) => a.at - b.at).map(({ item }) => item);
}

function textOf(root: string, files: readonly string[]): string {
  const suites = files.map((file) => {
    const path = JSON.stringify(join(root, file));
    return `describe(${JSON.stringify(file)}, () => import(${path}));\n`;
  });
  const end = JSON.stringify(join(import.meta.dirname, 'end.ts'));
  return `import { after, describe } from 'node:test';
import { end } from ${end};
end.isCalled = true;
after(() => Promise.all(end.steps.map((step) => step())));
${suites.join('')}`;
}
