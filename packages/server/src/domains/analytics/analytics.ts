import { createHash } from 'node:crypto';
import { type Engine, EngineError, type QueryOutcome } from '../../platform/engine/engine.ts';
import { lostWorker } from '../../platform/engine/lost-worker.ts';
import { literal } from '../../platform/engine/worker/quote.ts';
import type { Secrets } from '../../platform/secrets/secrets.ts';
import { invalidInput, overloaded, Problem } from '../../problem.ts';
import { type Lake, type PinnedProject, wholeSight } from '../lake/index.ts';
import { answering, type Row } from './answers.ts';
import { Compiler } from './compile.ts';
import type { PatientTest, Query } from './query.ts';
import { Parameters } from './sql-text.ts';
import { universeTables, withRelations } from './statement.ts';

/** Longest that somebody waits for an answer: for its turn, for copies of files, and while it runs, which its own limit ends before. */
const waitMaxMs = 60_000;

/** Where an answer goes on, and over which data it began: files that were merged meanwhile hold the same. */
interface Place {
  offset: number;
  versions: string[];
}

/** Questions of the service's own making over the lake, answered while the caller waits. */
export class Analytics {
  readonly #lake: Lake;
  readonly #engine: Engine;
  readonly #secrets: Secrets;

  constructor(parts: { lake: Lake; engine: Engine; secrets: Secrets }) {
    this.#lake = parts.lake;
    this.#engine = parts.engine;
    this.#secrets = parts.secrets;
  }

  /** The present version of a project, to ask about. */
  pin(id: string, how: 'real' | 'masked'): Promise<PinnedProject> {
    return this.#lake.pin(id, wholeSight(how));
  }

  /**
   * What a query answers over the projects. `scope` says who asks for what, so that a page token is good for nothing else.
   * Problem 400 for a token of another query or of data that have changed, 422 for a query that takes too much, 503 when its turn does
   * not come.
   */
  async answer(
    query: Query,
    projects: PinnedProject[],
    scope: string,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const purpose = `analytics:${createHash('sha256').update(scope).digest('base64url')}`;
    const { offset } = this.#placeOf(query, projects, purpose);
    const compiler = new Compiler(new Parameters());
    const asked = answering(query, compiler, offset);
    const rows = await this.#ask(asked.sql, compiler, projects, signal);
    const { pageSize = rows.length } = asked;
    const data = asked.data(rows.slice(0, pageSize));
    if (rows.length <= pageSize) return data;
    const place: Place = { offset: offset + pageSize, versions: versionsOf(projects) };
    return { ...data, nextPageToken: this.#secrets.seal(JSON.stringify(place), purpose) };
  }

  /**
   * Writes the patients for whom the test holds as Parquet, with the id of their cohort. `members`: paths of Parquet files with
   * further ones in their column `patient_id`. Only who is a patient of the project counts.
   * `asksClock`: the test may hold for others at another time.
   */
  async writeMembers(
    test: PatientTest | undefined,
    wanted: { project: PinnedProject; cohortId: string; members: string[]; outputPath: string },
    signal: AbortSignal,
  ): Promise<QueryOutcome & { asksClock: boolean }> {
    const { project, cohortId, members, outputPath } = wanted;
    const compiler = new Compiler(new Parameters());
    const sets = members.map(
      (path) => `SELECT 0 AS _project, patient_id FROM read_parquet(${literal(path)})`,
    );
    if (test) sets.push(`(${compiler.patients(test)})`);
    const chosen = sets.join(' UNION ALL ') || 'SELECT 0 AS _project, NULL AS patient_id WHERE false';
    const id = compiler.parameters.add(cohortId, 'VARCHAR');
    const body = `SELECT ${id} AS cohort_id, u.patient_id FROM universe AS u
      SEMI JOIN (${chosen}) AS m ON m._project = u._project AND m.patient_id = u.patient_id ORDER BY u.patient_id`;
    const written = await this.#open(compiler, [project], signal, (sql, waited) =>
      this.#engine.write({ sql: sql(body), parameters: compiler.parameters.values, outputPath }, waited),
    );
    return { ...written, asksClock: compiler.asksClock };
  }

  #ask(body: string, compiler: Compiler, projects: PinnedProject[], signal: AbortSignal): Promise<Row[]> {
    const { values: parameters } = compiler.parameters;
    return this.#open(compiler, projects, signal, (sql, waited) =>
      this.#engine.answer({ sql: sql(body), parameters }, waited),
    );
  }

  async #open<T>(
    { tables }: Compiler,
    projects: PinnedProject[],
    signal: AbortSignal,
    run: (sql: (body: string) => string, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const names = [...new Set([...tables, ...universeTables])];
    const waited = AbortSignal.any([signal, AbortSignal.timeout(waitMaxMs)]);
    try {
      return await this.#lake.withRelationsOfAll(
        projects,
        names,
        (relations) => run((body) => withRelations(body, names, relations), waited),
        waited,
      );
    } catch (error) {
      throw tooMuch(error) ?? error;
    }
  }

  #placeOf(query: Query, projects: PinnedProject[], purpose: string): Place {
    const { pageToken } = query.options;
    const path = 'body/query/options/pageToken';
    if (pageToken === undefined) return { offset: 0, versions: [] };
    const place = this.#read(pageToken, purpose);
    if (!place)
      throw invalidInput([{ path, message: 'is not a token of this query; start again without it' }]);
    if (place.versions.join() !== versionsOf(projects).join()) {
      throw invalidInput([{ path, message: 'is of data that have changed since; start again without it' }]);
    }
    return place;
  }

  #read(token: string, purpose: string): Place | undefined {
    try {
      return JSON.parse(this.#secrets.open(token, purpose)) as Place;
    } catch {
      return undefined;
    }
  }
}

const versionsOf = (projects: PinnedProject[]): string[] =>
  projects.map(({ dataVersion, annotations }) => `${dataVersion}/${annotations}`);

/** What the asker can do something about. */
function tooMuch(error: unknown): Problem | undefined {
  if (error instanceof DOMException && error.name === 'TimeoutError') return overloaded(error);
  const lost = lostWorker(error);
  if (lost || !(error instanceof EngineError)) return lost;
  if (error.code === 'SQL' || error.code === 'INPUT') return undefined;
  const advice = error.code === 'TIME' ? ' Or run it as a query of the data lake.' : '';
  return new Problem(422, `ANALYTICS_${error.code}`, error.message + advice, { cause: error });
}
