/**
 * Reports a run of tests. Its progress is on one line, a failure follows at once, and the slowest files and the counts are
 * last. With `PLOIDY_TEST_BUDGET_S` a run fails whose files together need more seconds. It is a sum, so that other work on the
 * machine does not fail a run.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

type Completed = Extract<TestEvent, { type: 'test:complete' }>['data'];

const slowestMax = 10;
/** Time between two lines of progress where the output is no terminal. */
const quietMs = 30_000;
const environment = process.env;
const names: string[] = JSON.parse(environment['PLOIDY_TEST_FILES'] ?? '[]');
const budgetS = Number(environment['PLOIDY_TEST_BUDGET_S'] ?? Number.POSITIVE_INFINITY);
/** Durations of the last run in seconds, by file. */
const memory = environment['PLOIDY_TEST_DURATIONS'] ?? '';

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const progress = new Progress(names, lastDurations());
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
  yield* progress.slowest();
  for (const [reason, count] of skipped) yield `﹣ ${count} skipped: ${reason}\n`;
  if (memory !== '') writeFileSync(memory, JSON.stringify(progress.durations()));
  yield* closing;
  const faults = [
    ...(environment['CI'] === 'true' && skipped.size > 0 ? ['No test may be skipped in CI.'] : []),
    ...(progress.sumS > budgetS
      ? [
          `The files took ${Math.round(progress.sumS)} s together; the ceiling is ${budgetS} s. Move slow tests to *.stress.test.ts.`,
        ]
      : []),
  ];
  for (const fault of faults) yield `✖ ${fault}\n`;
  if (faults.length > 0) process.exitCode = 1;
}

function lastDurations(): Map<string, number> {
  if (memory === '' || !existsSync(memory)) return new Map();
  return new Map(Object.entries(JSON.parse(readFileSync(memory, 'utf8')) as Record<string, number>));
}

/** Counts the files of a run and estimates the time that is left. */
class Progress {
  readonly #expected: ReadonlyMap<string, number>;
  readonly #left: Map<string, number>;
  readonly #done = new Map<string, number>();
  readonly #startedAt = performance.now();
  #printedAt = Number.NEGATIVE_INFINITY;

  constructor(files: readonly string[], last: ReadonlyMap<string, number>) {
    this.#expected = last;
    const known = [...last.values()];
    const usual = known.length === 0 ? 1 : known.reduce((sum, one) => sum + one, 0) / known.length;
    this.#left = new Map(files.map((file) => [file, last.get(file) ?? usual]));
  }

  get sumS(): number {
    return [...this.#done.values()].reduce((sum, one) => sum + one, 0);
  }

  /** Reports whether the completed suite is a file of the run. */
  complete({ name, nesting, details }: Completed): boolean {
    if (nesting !== 0 || !this.#left.has(name)) return false;
    this.#left.delete(name);
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

  *slowest(): Generator<string> {
    const files = [...this.#done].sort(([, one], [, other]) => other - one).slice(0, slowestMax);
    yield 'The slowest files:\n';
    for (const [file, durationS] of files) yield `  ${durationS.toFixed(1).padStart(6)} s  ${file}\n`;
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
