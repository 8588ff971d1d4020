import { openEngine } from './engine.fixture.ts';

/** Service for `life.stress.test.ts`: opens an engine in the folder, starts the given work, and waits to be killed. */
const [folder = '', work = ''] = process.argv.slice(2);
const engine = await openEngine(folder, {
  query: { idleWorkers: 1, residentMaxBytes: 8 * 1024 ** 3, memoryMaxBytes: 4 * 1024 ** 3 },
  conversion: { idleWorkers: 1 },
});
const task = { statement: { sql: work, tables: [] }, tables: [], outputPath: `${folder}/out.csv` };
void engine.query(task, new AbortController().signal, () => process.stdout.write('running\n'));
