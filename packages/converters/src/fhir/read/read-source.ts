import { join } from 'node:path';
import type { ConversionTask, Reporter } from '@ploidy/engine';
import { AccountBook, InputError, noteFullUrl, type Target } from '@ploidy/formats';
import { readSource } from '../../decompressed-source.ts';
import { type Given, settledLater, type Threads } from '../../threads.ts';
import type { Section } from '../rows/row-file.ts';
import type { Task } from '../work.ts';
import type { SliceOutcome } from './read-slice.ts';
import { type Slice, Slices } from './slices.ts';
import { missingPage, PacketSubjects, type SearchPage, withoutResource } from './source-notes.ts';

/** Number of files that trigger a merge. */
const filesMax = 128;
/** Number of slices that justifies starting threads. */
const slicesForThreads = 3;
const countedTypesMax = 100;

/** Result of reading a source. */
export interface SourceRows {
  sections: Section[];
  /** Resources of each slice. */
  counts: number[];
  /** Full URLs that do not name their resource. */
  fullUrls: ReadonlyMap<string, Target>;
  /** References whose full URL names several resources, so that they are dropped. */
  severalCount: number;
  /** Base addresses of the servers whose resources it holds. */
  servers: ReadonlySet<string>;
  /** Set if it holds several objects, each of which may be a Bundle. */
  hasSeveralBundles: boolean;
  /** Bundles, by number, whose type `history` follows their entries. */
  lateHistories: ReadonlySet<number>;
}

/** Reads a source slice by slice into files of sorted rows. Warnings follow the order of the source. */
export class SourceReading {
  readonly #threads: Threads<Task>;
  readonly #folder: string;
  readonly #report: Reporter;
  readonly #slices: Slices;
  /** Files by the number of merges that made them. */
  readonly #levels: Promise<Section[]>[][] = [];
  #files = 0;
  #rows = 0;
  #severalCount = 0;
  #leftOut = 0;
  #withoutResource = 0;
  readonly #servers = new Set<string>();
  readonly #counts: number[] = [];
  readonly #fullUrls = new Map<string, Target>();
  readonly #otherTypes = new Map<string, number>();
  readonly #book = new AccountBook();
  readonly #pages: SearchPage[] = [];
  readonly #subjects = new PacketSubjects();

  /** `histories`: numbers of Bundles that are known to be histories. */
  constructor(threads: Threads<Task>, folder: string, report: Reporter, histories: ReadonlySet<number>) {
    this.#slices = new Slices(histories);
    this.#threads = threads;
    this.#folder = folder;
    this.#report = report;
  }

  async read({ sourcePath, options }: ConversionTask): Promise<SourceRows> {
    const onRead = (bytes: number): void => this.#report.progress(bytes, this.#rows);
    const slices = this.#slices.of(readSource(sourcePath, { onRead, isPassing: true }));
    // An error of an earlier resource precedes a failure of the source.
    for await (const outcome of this.#threads.inOrder<SliceOutcome>(this.#toRead(slices)))
      this.#take(outcome);
    const sections = (await Promise.all(this.#levels.toReversed().flat())).flat();
    this.#warnOfOthers();
    this.#warnOfMissing();
    const hasPrefix = options.idPrefix !== undefined;
    for (const message of this.#subjects.remarks(hasPrefix)) this.#report.warn({ message });
    this.#account();
    const { lateHistories, objects } = this.#slices;
    const hasSeveralBundles = objects > 1;
    const severalCount = this.#severalCount;
    return {
      sections,
      counts: this.#counts,
      fullUrls: this.#fullUrls,
      severalCount,
      servers: this.#servers,
      hasSeveralBundles,
      lateHistories,
    };
  }

  async *#toRead(slices: AsyncGenerator<Slice>): AsyncGenerator<Given<Task>> {
    for await (const slice of slices) {
      if (slice.number + 1 === slicesForThreads) this.#threads.start();
      yield { task: { kind: 'read', slice, path: this.#newPath() }, moved: [slice.memory] };
    }
  }

  #take(outcome: SliceOutcome): void {
    const { sections, resources, rows, warnings, warningCount, broken } = outcome;
    this.#slices.giveBack(outcome.memory);
    for (const [index, warning] of warnings.entries())
      this.#report.warn(warning, index + 1 === warnings.length ? warningCount - warnings.length : 0);
    if (broken) {
      const { message, line, column } = broken;
      throw new InputError(message, {
        ...(line !== undefined && { line }),
        ...(column !== undefined && { column }),
      });
    }
    this.#counts.push(resources);
    this.#rows += rows;
    for (const [type, count] of outcome.otherTypes) this.#countOther(type, count);
    for (const { name, count, line } of outcome.kept) this.#book.name('kept', name, count, line);
    for (const { name, count, line } of outcome.leftOut) {
      this.#book.leave(name, count, line);
      this.#leftOut += count;
      if (name === withoutResource) this.#withoutResource += count;
    }
    for (const [url, target] of outcome.fullUrls) noteFullUrl(this.#fullUrls, url, target);
    this.#severalCount += outcome.severalCount;
    for (const server of outcome.servers) this.#servers.add(server);
    this.#pages.push(...outcome.pages);
    for (const [patient, packet] of outcome.subjects) this.#subjects.add(patient, packet);
    this.#keep(Promise.resolve(sections), 0);
  }

  /** Merges files once there are too many to be read at once. */
  #keep(sections: Promise<Section[]>, level: number): void {
    this.#levels[level] ??= [];
    this.#levels[level].push(sections);
    if (this.#levels[level].length < filesMax) return;
    const joined = Promise.all(this.#levels[level].splice(0)).then((lists) => {
      const all = lists.flat();
      const tables = Array.from(new Set(all.map(({ table }) => table)), (table) => ({
        table,
        sources: all.filter((section) => section.table === table),
      }));
      return this.#threads.run<Section[]>({
        task: { kind: 'join', tables, path: this.#newPath() },
        moved: [],
      });
    });
    this.#keep(settledLater(joined), level + 1);
  }

  #newPath(): string {
    this.#files += 1;
    return join(this.#folder, `${this.#files}.rows`);
  }

  #countOther(type: string, count: number): void {
    const known = this.#otherTypes.has(type) || this.#otherTypes.size < countedTypesMax;
    const name = known ? type : 'other types';
    this.#otherTypes.set(name, (this.#otherTypes.get(name) ?? 0) + count);
  }

  /** Hands over what became of the resources, whose lists are long. */
  #account(): void {
    const resources = this.#counts.reduce((sum, count) => sum + count, 0);
    let withoutId = 0;
    for (const [type, count] of this.#otherTypes) {
      this.#book.leave(`${type} without an id`, count);
      withoutId += count;
    }
    this.#book.gave(resources - withoutId);
    this.#report.account(this.#book.account(resources + this.#leftOut));
  }

  /** Warns about pages of a search that are not there, and about answers without the resources. */
  #warnOfMissing(): void {
    const page = missingPage(this.#pages);
    if (page) {
      const shown = page.total === undefined ? '' : ` of ${page.total}`;
      this.#report.warn({
        line: page.line,
        message: `the source has not all pages of a search: ${page.entries} entries${shown}, and a page that follows ("next"). Fetch every page, or let an EHR system fetch them`,
      });
    }
    if (this.#withoutResource > 0)
      this.#report.warn({
        message: `${this.#withoutResource} entries have no resource, such as in the answer to a transaction; they were left out`,
      });
  }

  /** Warns about resources without an id. */
  #warnOfOthers(): void {
    for (const [type, count] of this.#otherTypes)
      this.#report.warn({
        message: `${type}: ${count} resources without an id were left out`,
      });
  }
}
