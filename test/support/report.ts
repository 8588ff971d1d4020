/**
 * Reports a run of tests: its progress on one line, and a failure at the moment it happens. At the end it lists the slowest files,
 * and those that took most of the processors. Counts and the processor time of all processes follow. In CI a whole run fails above
 * its ceiling (`test/ceilings.json`). It is processor time, so that other work on the machine does not fail a run.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';
import { processorS } from './processor-time.ts';

type Completed = Extract<TestEvent, { type: 'test:complete' }>['data'];

const filesShownMax = 10;
/** Time between two lines of progress where the output is no terminal. */
const quietMs = 30_000;
const environment = process.env;
const names: string[] = JSON.parse(environment['PLOIDY_TEST_FILES'] ?? '[]');
/** Name of the ceiling of a whole run. */
const ceiling = environment['PLOIDY_TEST_CEILING'];
/** File for the names of the test files that failed. */
const failedFile = environment['PLOIDY_TEST_FAILED'] ?? '';
/** Durations of the last run in seconds, by file. */
const memory = environment['PLOIDY_TEST_DURATIONS'] ?? '';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const progress = new Progress(names, new Map(Object.entries(lastDurations(memory))));
  const closing: string[] = [];
  const skipped = new Map<string, number>();
  for await (const { type, data } of events) {
    if (type === 'test:complete') {
      if (isFailure(data)) yield progress.aside(failureText(data));
      if (data.skip !== undefined) skipped.set(`${data.skip}`, (skipped.get(`${data.skip}`) ?? 0) + 1);
      if (progress.complete(data)) yield progress.line();
    } else if (type === 'test:diagnostic' && data.nesting === 0) closing.push(`ℹ ${data.message}\n`);
    else if (type === 'test:stderr' || type === 'test:stdout') yield progress.aside(data.message);
  }
  yield progress.aside('');
  yield* most('The slowest files', progress.done());
  yield* most('The files that took most of the processors', processorTimes());
  for (const [reason, count] of skipped) yield `﹣ ${count} skipped: ${reason}\n`;
  if (memory !== '') writeFileSync(memory, JSON.stringify(progress.durations()));
  if (failedFile !== '') writeFileSync(failedFile, JSON.stringify(progress.failed()));
  yield* closing;
  const tookS = process.platform === 'linux' ? Math.round(processorS(process.pid)) : undefined;
  if (tookS !== undefined) yield `ℹ processor_s ${tookS}\n`;
  const isInCi = environment['CI'] === 'true';
  const faults = [
    ...(environment['PLOIDY_TEST_ENDS'] === 'all' ? progress.unended() : []),
    ...(isInCi && skipped.size > 0 ? ['No test may be skipped in CI.'] : []),
    ...(isInCi && ceiling !== undefined && tookS !== undefined ? aboveCeiling(ceiling, tookS) : []),
  ];
  for (const fault of faults) yield `✖ ${fault}\n`;
  if (faults.length > 0) process.exitCode = 1;
}

/** Reads the seconds that each file took in its last run. */
function lastDurations(path: string): Record<string, number> {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

/** Returns the processor time of each file, in seconds; none where the system reports none. */
function processorTimes(): [file: string, seconds: number][] {
  const path = environment['PLOIDY_TEST_TIMES'] ?? '';
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Lists the files that take most of something. */
function* most(title: string, files: Iterable<[file: string, seconds: number]>): Generator<string> {
  const sorted = [...files].sort(([, one], [, other]) => other - one).slice(0, filesShownMax);
  if (sorted.length > 0) yield `${title}:\n`;
  for (const [file, seconds] of sorted) yield `  ${seconds.toFixed(1).padStart(6)} s  ${file}\n`;
}

/** Reports a whole run that took more of the processors than its ceiling. */
export function aboveCeiling(name: string, tookS: number): string[] {
  const ceilings = JSON.parse(readFileSync(new URL('../ceilings.json', import.meta.url), 'utf8'));
  return tookS > ceilings[name]
    ? [
        `The run took ${tookS} s of processors; "${name}" in test/ceilings.json is ${ceilings[name]}. Make the files that took most cheaper, or leave a smoke test of them and move the rest to *.stress.test.ts.`,
      ]
    : [];
}

/** Counts the files of a run and estimates the time that is left. */
class Progress {
  readonly #expected: ReadonlyMap<string, number>;
  readonly #left: Map<string, number>;
  readonly #failed: string[] = [];
  readonly #done = new Map<string, number>();
  readonly #startedAt = performance.now();
  #printedAt = Number.NEGATIVE_INFINITY;

  constructor(files: readonly string[], last: ReadonlyMap<string, number>) {
    this.#expected = last;
    const known = [...last.values()];
    const usual = known.length === 0 ? 1 : known.reduce((sum, one) => sum + one, 0) / known.length;
    this.#left = new Map(files.map((file) => [file, last.get(file) ?? usual]));
  }

  /** Names the files that did not end: a test that ends its process counts as passed (node 26), and so do those after it. */
  unended(): string[] {
    return [...this.#left.keys()].map((file) => `${file} did not end.`);
  }

  /** Names the files with a failed test, and those that did not end. */
  failed(): string[] {
    return [...this.#failed, ...this.#left.keys()];
  }

  /** Reports whether the completed suite is a file of the run. */
  complete({ name, nesting, details }: Completed): boolean {
    if (nesting !== 0 || !this.#left.has(name)) return false;
    this.#left.delete(name);
    if (details.passed === false) this.#failed.push(name);
    this.#done.set(name, details.duration_ms / 1000);
    return true;
  }

  /** Builds the line of progress; empty where the last one is recent and the output is no terminal. */
  line(): string {
    const isTerminal = process.stdout.isTTY === true;
    const now = performance.now();
    if (!isTerminal && now - this.#printedAt < quietMs) return '';
    this.#printedAt = now;
    const count = this.#done.size + this.#left.size;
    const text = `${this.#done.size} of ${count} files, about ${this.#minutesLeft(now)} min left`;
    return isTerminal ? `\r\x1b[K${text}` : `${text}\n`;
  }

  /** Prints a text over the line of progress. */
  aside(text: string): string {
    return process.stdout.isTTY === true ? `\r\x1b[K${text}` : text;
  }

  /** Seconds that each file took. */
  done(): ReadonlyMap<string, number> {
    return this.#done;
  }

  durations(): Record<string, number> {
    return Object.fromEntries([...this.#expected, ...this.#done]);
  }

  #minutesLeft(now: number): number {
    const weight = (files: Iterable<string>): number =>
      [...files].reduce((sum, file) => sum + (this.#expected.get(file) ?? 1), 0);
    const speed = weight(this.#done.keys()) / (now - this.#startedAt);
    return Math.ceil(weight(this.#left.keys()) / speed / 60_000);
  }
}

/** Returns whether a test failed by itself: a suite fails with its tests. */
function isFailure({ details: { passed, error } }: Completed): boolean {
  return passed === false && Reflect.get(error ?? {}, 'failureType') !== 'subtestsFailed';
}

function failureText({ name, file, line, details: { error } }: Completed): string {
  const place = file === undefined ? '' : `  ${file}:${line}\n`;
  return `✖ ${name}\n${place}${inspect(error?.cause ?? error, { colors: false }).replace(/^/gm, '  ')}\n`;
}
