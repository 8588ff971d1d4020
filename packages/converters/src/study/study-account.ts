import type { Reporter } from '@ploidy/engine';
import { type Account, AccountBook } from '@ploidy/formats';

/** Lines that are named of values that are no number. */
const linesMax = 3;

/** Accounts for one file of a study, under its name. */
export class StudyAccount {
  readonly #name: string;
  readonly #all: StudyAccounts;
  readonly #odd = new Map<string, { count: number; lines: number[] }>();

  constructor(name: string, all: StudyAccounts) {
    this.#name = name;
    this.#all = all;
  }

  warn(message: string, line?: number): void {
    const text = message.charAt(0).toUpperCase() + message.slice(1);
    this.#all.report.warn({
      message: `${this.#name}${line === undefined ? '' : `, line ${line}`}: ${text}.`,
    });
  }

  read(name: string): void {
    this.#all.book.name('read', name);
  }

  unread(reason: string): void {
    this.#all.book.name('unread', `${this.#name}: ${reason}`);
  }

  gave(): void {
    this.#all.records += 1;
    this.#all.book.gave();
  }

  leave(reason: string, line?: number): void {
    this.#all.records += 1;
    this.#all.book.leave(`${this.#name}: ${reason}`, 1, line);
  }

  /** Leaves out the whole file, for a reason. */
  leaveFile(reason: string): void {
    this.unread(reason);
    this.warn(`left out: ${reason}`);
  }

  /** Counts a value that is not what the type of its attribute asks for. */
  odd(attribute: string, line: number): void {
    const known = this.#odd.get(attribute) ?? { count: 0, lines: [] };
    known.count += 1;
    if (known.lines.length < linesMax) known.lines.push(line);
    this.#odd.set(attribute, known);
  }

  /** Warns of what was counted. */
  end(): void {
    for (const [attribute, { count, lines }] of this.#odd)
      this.warn(
        `${count} values of ${attribute} are not of its type (lines ${lines.join(', ')}): they are kept as texts`,
      );
  }

  /** Reporter of a conversion of the file; its account becomes part of that of the study. */
  reporter(onRows: (rows: number) => void): Reporter {
    return {
      progress: (_, rows) => onRows(rows),
      warn: ({ message, line }, omitted) =>
        this.#all.report.warn(
          { message: `${this.#name}${line === undefined ? '' : `, line ${line}`}: ${message}` },
          omitted,
        ),
      account: (account) => this.#add(account),
    };
  }

  #add({ records, read, kept, unread, leftOut }: Account): void {
    const { book } = this.#all;
    this.#all.records += records;
    book.gave(records - leftOut.reduce((sum, { count }) => sum + count, 0));
    for (const { name, count, line } of leftOut) book.leave(`${this.#name}: ${name}`, count, line);
    for (const { name, count } of read) book.name('read', name, count);
    for (const { name, count } of kept) book.name('kept', name, count);
    for (const { name, count } of unread) book.name('unread', `${this.#name}: ${name}`, count);
  }
}

/** Accounts for all files of a study. */
export class StudyAccounts {
  readonly report: Reporter;
  readonly book = new AccountBook();
  records = 0;

  constructor(report: Reporter) {
    this.report = report;
  }

  of(name: string): StudyAccount {
    return new StudyAccount(name, this);
  }

  end(): void {
    this.report.account(this.book.account(this.records));
  }
}
