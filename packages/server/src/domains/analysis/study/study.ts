import { LRUCache } from 'lru-cache';
import type { PinnedProject } from '../../lake/index.ts';
import { type Analytics, Compiler, KnownCollections, Parameters } from '../analytics/index.ts';
import type { Aggregate, AggregateOf } from './aggregates.ts';
import { type Bar, barsOf, type Spread, spreadSql } from './bars.ts';
import type { Part } from './building.ts';
import type { Cells } from './cells.ts';
import { partOf } from './counting.ts';
import { StudyStatement, withoutPill } from './filter.ts';
import { attributesPart, subjectsPart } from './listing.ts';
import type { MadeFiles } from './made-files.ts';
import type { Node } from './node.ts';
import type { StudyRequest } from './read-study.ts';
import { readsOf, type Unit } from './relations.ts';
import { keyOf, plainSelection, type Selection, setsOf, someMark } from './selection.ts';

/** Result of an aggregate: one field, by its kind, or `error`. */
type Result = Record<string, unknown>;

interface Counts {
  matched: { samples: number | null; patients: number | null };
  results: Record<string, Result>;
}

export interface StudyAnswer extends Counts {
  groups?: ({ id: string } & Counts)[];
  /** Subjects of several groups. */
  overlapping?: Counts['matched'];
}

/** Data, rights and caller of a request. */
export interface Asking {
  project: PinnedProject;
  /** Counts as the caller may see them. */
  cells: Cells;
  /** Parts of the cohorts that the filter names. */
  cohortParts: readonly string[];
  caller: string;
  signal: AbortSignal;
}

/** Bytes of results that are remembered. */
const rememberedMaxBytes = 64 * 2 ** 20;
/** Projects that are gone, of which requests may still be in flight. */
const goneMax = 10_000;

/** Answers requests of studies: all aggregates of a request by one statement over one version of the lake. */
export class Study {
  readonly #analytics: Pick<Analytics, 'ask' | 'write'>;
  readonly #files: MadeFiles;
  readonly #gone = new LRUCache<string, true>({ max: goneMax });
  readonly #remembered = new LRUCache<string, Result>({
    maxSize: rememberedMaxBytes,
    sizeCalculation: (result) => 200 + 2 * JSON.stringify(result).length,
  });

  constructor(analytics: Pick<Analytics, 'ask' | 'write'>, files: MadeFiles) {
    this.#analytics = analytics;
    this.#files = files;
  }

  /** Forgets results and files of a project that is gone; of all for an empty id. */
  async forget(project: string): Promise<void> {
    if (project !== '') this.#gone.set(project, true);
    await this.#drop((key) => project === '' || key.startsWith(`${project}/`));
  }

  /** Forgets results and files of callers who see some patients only, whose rights may have ended. */
  async forgetSome(): Promise<void> {
    await this.#drop((key) => key.includes(someMark));
  }

  async #drop(isOf: (key: string) => boolean): Promise<void> {
    for (const key of this.#remembered.keys()) if (isOf(key)) this.#remembered.delete(key);
    await this.#files.drop(isOf);
  }

  /** Keeps nothing of a request that ends after its project. */
  async #unlessGone<T>({ project: { id } }: Asking, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } finally {
      if (this.#gone.has(id)) await this.forget(id);
    }
  }

  /** Answers a request. Problem 400 for conditions that are not valid; 422 for excessive ones; 503 if the queue is full. */
  answer(request: StudyRequest, asking: Asking): Promise<StudyAnswer> {
    return this.#unlessGone(asking, this.#answer(request, asking));
  }

  async #answer(request: StudyRequest, asking: Asking): Promise<StudyAnswer> {
    const { unit, filter, aggregates, groups = [], overlap } = request;
    const spreads = await this.#spreads(unit, aggregates, asking);
    const filters = groups.map((group) => group.filter);
    const whole = this.#counts(request, { filter }, spreads, asking);
    const parts = filters.map((group, at) => {
      const without = overlap === 'include' ? [] : filters.toSpliced(at, 1);
      return this.#counts(request, { filter, group, without }, spreads, asking);
    });
    const both: Selection[] = filters.length > 1 ? [{ filter, several: filters }] : [];
    const shared = both.map((one) => this.#counts({ unit, aggregates: [] }, one, spreads, asking));
    const [answer, shares, ofGroups] = await Promise.all([whole, Promise.all(shared), Promise.all(parts)]);
    return {
      ...answer,
      ...(groups.length > 0 && { groups: groups.map(({ id }, at) => ({ id, ...ofGroups[at] })) }),
      ...(shares[0] && { overlapping: shares[0].matched }),
    } as StudyAnswer;
  }

  /** Computes the aggregates over the subjects of a selection, as far as they are not remembered. */
  async #counts(
    { unit, aggregates }: Pick<StudyRequest, 'unit' | 'aggregates'>,
    selection: Selection,
    spreads: ReadonlyMap<string, Spread>,
    asking: Asking,
  ): Promise<Counts> {
    const matched: Aggregate = { id: '', kind: 'count' };
    const wanted = [matched, ...aggregates].map((aggregate) => {
      const { id, ignoreOwn, ...rest } = aggregate;
      const { filter } = selection;
      const own = { ...selection, filter: ignoreOwn === undefined ? filter : withoutPill(filter, ignoreOwn) };
      const about = plainSelection(own);
      return { id, aggregate, own, about, key: this.#key(asking, [unit, about, rest]) };
    });
    const missing = wanted.filter(({ key }) => this.#remembered.get(key) === undefined);
    const bars = (bins: AggregateOf<'bins'>): Bar[] => {
      const spread = spreads.get(bins.attribute);
      return spread ? barsOf(bins, spread) : [];
    };
    const found = await this.#ask(unit, asking, (statement) =>
      missing.map(({ aggregate, own, about }) => {
        const cells = asking.cells.about(about);
        return partOf(aggregate, { statement, ...setsOf(statement, own), cells, bars });
      }),
    );
    const fresh = new Map(missing.map(({ key }, at) => [key, found[at] ?? {}]));
    for (const [key, result] of fresh) this.#remembered.set(key, result);
    const results = wanted.map(
      ({ id, key }) => [id, fresh.get(key) ?? this.#remembered.get(key) ?? {}] as const,
    );
    const [[, first] = ['', {}], ...others] = results;
    return { matched: Object(first['count']) as Counts['matched'], results: Object.fromEntries(others) };
  }

  /** Lists the attributes that have values. */
  attributes(asking: Asking): Promise<Result> {
    return this.#unlessGone(asking, this.#attributes(asking));
  }

  async #attributes(asking: Asking): Promise<Result> {
    const key = this.#key(asking, ['attributes']);
    const known = this.#remembered.get(key);
    if (known) return known;
    const { cells } = asking;
    const { project, caller, signal } = asking;
    const statement = newStatement('patient', project);
    const part = attributesPart({ statement, cells });
    const sql = `SELECT CAST((${part.sql}) AS VARCHAR) AS json`;
    const [row] = await this.#analytics.ask(sql, statement.compiler, [project], { caller, signal });
    const found = await part.result(JSON.parse(String(row?.['json'])) as never);
    this.#remembered.set(key, found);
    return found;
  }

  /** Lists a page of the subjects that pass a filter, in the order of their ids. `after`: last one of the page before. */
  async subjects(
    { unit, filter }: { unit: Unit; filter: Node },
    page: { rowsMax: number; after: string | undefined },
    asking: Asking,
  ): Promise<Record<'sampleId' | 'patientId', string>[]> {
    const asked = this.#ask(unit, asking, (statement) => [
      subjectsPart({ statement, set: statement.set(filter) }, page),
    ]);
    const [found = {}] = await this.#unlessGone(asking, asked);
    return found['subjects'] as Record<'sampleId' | 'patientId', string>[];
  }

  /** Finds the spread over all subjects of each attribute with bars: bars do not move when the filter changes. */
  async #spreads(
    unit: Unit,
    aggregates: readonly Aggregate[],
    asking: Asking,
  ): Promise<ReadonlyMap<string, Spread>> {
    const withBars = aggregates.flatMap((aggregate) => {
      if (aggregate.kind === 'coverage') return aggregate.attributes ?? [];
      return aggregate.kind === 'bins' ? [aggregate.attribute] : [];
    });
    const attributes = [...new Set(withBars)];
    const keyOf = (attribute: string): string => this.#key(asking, [unit, 'spread', attribute]);
    const missing = attributes.filter((attribute) => this.#remembered.get(keyOf(attribute)) === undefined);
    const found = await this.#ask(unit, asking, (statement) =>
      missing.map((attribute) => ({
        sql: spreadSql(statement.values(attribute)),
        result: (spread: Spread) => ({ spread }),
      })),
    );
    const spreads = new Map<string, Spread>();
    for (const [at, attribute] of missing.entries()) this.#remembered.set(keyOf(attribute), found[at] ?? {});
    for (const attribute of attributes) {
      const at = missing.indexOf(attribute);
      const result = at < 0 ? this.#remembered.get(keyOf(attribute)) : found[at];
      if (result) spreads.set(attribute, result['spread'] as Spread);
    }
    return spreads;
  }

  /** Runs the parts as one statement over files of the relations that depend on no filter. */
  async #ask(unit: Unit, asking: Asking, parts: (statement: StudyStatement) => Part[]): Promise<Result[]> {
    const { project, caller, signal } = asking;
    const statement = newStatement(unit, project);
    const built = parts(statement);
    if (built.length === 0) return [];
    const selects = built.map(({ sql }, at) => `SELECT ${at} AS part, CAST((${sql}) AS VARCHAR) AS json`);
    const rows = await this.#withFiles(statement.bases, unit, asking, (files) => {
      const sql = statement.sql(selects.join('\nUNION ALL '), files);
      return this.#analytics.ask(sql, statement.compiler, [project], { caller, signal });
    });
    const jsonOf = new Map(rows.map(({ part, json }) => [Number(part), String(json)]));
    return Promise.all(
      built.map(async ({ result }, at) => result(JSON.parse(jsonOf.get(at) ?? 'null') as never)),
    );
  }

  /** Lends the files of relations, of which those behind others are made first. */
  async #withFiles<T>(
    bases: readonly string[],
    unit: Unit,
    { project, caller, signal }: Asking,
    work: (files: ReadonlyMap<string, string>) => Promise<T>,
    made: ReadonlyMap<string, string> = new Map(),
  ): Promise<T> {
    const missing = bases.filter((base) => !made.has(base));
    const next = missing.filter((base) => readsOf(base).every((one) => made.has(one)));
    if (next.length === 0) return work(made);
    const needed = next.map((base) => ({
      key: keyOf(project, [unit, 'relation', base]),
      make: async (outputPath: string) => {
        const statement = newStatement(unit, project);
        const sql = statement.sql(`SELECT * FROM ${statement.base(base)}`, made);
        // Others wait for the file too: it is made although the caller may have gone.
        const { size } = await this.#analytics.write(sql, statement.compiler, project, {
          ...{ caller, outputPath, signal: new AbortController().signal },
        });
        return size;
      },
    }));
    return this.#files.lend(needed, (paths) => {
      signal.throwIfAborted();
      const files = new Map([...made, ...next.map((base, at) => [base, paths[at] ?? ''] as const)]);
      return this.#withFiles(bases, unit, { project, caller, signal } as Asking, work, files);
    });
  }

  /** Returns the key of a result: data, rights, cohorts and day, and the question. */
  #key({ project, cohortParts }: Asking, question: unknown): string {
    return keyOf(project, [cohortParts, question]);
  }
}

const newStatement = (unit: Unit, { ownTables }: PinnedProject): StudyStatement =>
  new StudyStatement(new Compiler(new Parameters()), unit, new KnownCollections(ownTables));
