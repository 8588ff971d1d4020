import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { after, before } from 'node:test';

/** File for the processor times of test files, one JSON array of path and seconds a line; none without a runner. */
const notes = process.env['PLOIDY_TEST_TIMES'];

/**
 * Registers hooks of a suite that note the processor time of its file: of this process and all that it started. An engine that
 * files lend each other counts for the file that uses it.
 */
export function noteProcessorTime(file: string): void {
  if (process.platform !== 'linux' || notes === undefined) return;
  let beganS = 0;
  before(() => {
    beganS = processorS(process.pid);
  });
  after(() => appendFileSync(notes, `${JSON.stringify([file, processorS(process.pid) - beganS])}\n`));
}

/**
 * Returns the processor time of a process, of its children that ended and of its living descendants, in seconds. Only Linux
 * reports it (proc_pid_stat(5)).
 */
export function processorS(root: number): number {
  const parents = new Map<number, number>();
  const ticks = new Map<number, number>();
  for (const id of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    // Behind the name, in parentheses: state, parent; utime, stime, cutime and cstime in hundredths of a second.
    const fields = statOf(id);
    parents.set(id, Number(fields[1]));
    ticks.set(
      id,
      fields.slice(11, 15).reduce((sum, one) => sum + Number(one), 0),
    );
  }
  const isBelow = (id: number): boolean => {
    const parent = parents.get(id);
    return id === root || (parent !== undefined && isBelow(parent));
  };
  return [...ticks].filter(([id]) => isBelow(id)).reduce((sum, [, own]) => sum + own, 0) / 100;
}

/** Returns the fields of a process behind its name; none of one that has just ended. */
function statOf(id: number): string[] {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
