import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What starts services of its own and kills them gains nothing from company; most of it is long, so it begins first. */
const alone = /^test\/(crash|torture|faults|backup|upgrade|browser|journeys)\//;
const filesOfBatch = 16;

/**
 * Puts test files together: a service that starts in a process where one has run before takes a tenth of the time, because the
 * code is compiled and hot. Each file stays a suite of its own, with its hooks. Answers paths for node's test runner, those of
 * the batches in `folder`.
 */
export function batchesOf(root: string, files: readonly string[], folder: string): string[] {
  const first = files.filter((file) => alone.test(file));
  const others = files.filter((file) => !alone.test(file));
  const count = Math.ceil(others.length / filesOfBatch);
  const batches = Array.from({ length: count }, (_, number) => {
    const path = join(folder, `batch-${number}.mjs`);
    const members = others.slice(number * filesOfBatch, (number + 1) * filesOfBatch);
    writeFileSync(path, textOf(root, members));
    return path;
  });
  return [...first, ...batches];
}

function textOf(root: string, files: readonly string[]): string {
  const suites = files.map((file) => {
    const path = JSON.stringify(join(root, file));
    return `describe(${JSON.stringify(file)}, () => import(${path}));\n`;
  });
  return `import { describe } from 'node:test';\n${suites.join('')}`;
}
