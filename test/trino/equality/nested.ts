import { TrinoRefused } from '../../../packages/engine/src/cluster/client.ts';
import { provenSignatures } from '../../../packages/engine/src/cluster/proof.ts';
import { type Candidate, conversions, functions, operators, sourceOf, trinoFunctions } from './candidates.ts';
import { edges, literalOf, tableOf } from './edges.ts';
import type { Engines } from './engines.ts';

/** Source of numbers that is the same in each run. */
export class Chance {
  #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
  }

  below(max: number): number {
    this.#seed = (this.#seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((this.#seed / 2147483648) * max);
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}

/** Proven operation as an expression over values of these types. */
interface Operation {
  expression: string;
  types: readonly string[];
  type: string;
}

/** Counts of statements by their outcome. */
export interface Tally {
  /** Statements whose rows were compared, and those rows. */
  compared: number;
  rows: number;
  /** Statements that Trino does not run to their end, which the local engine then runs. */
  fellBack: number;
  /** Statements that fail in the local engine. */
  failed: number;
  /** Statements that stay, by the reason. */
  stayed: Map<string, number>;
  different: string[];
}

/** Runs random statements of proven operations on both engines. */
export async function compareNested(engines: Engines, count: number, seed: number): Promise<Tally> {
  const operations = await provenOperations(engines, seed);
  const writer = new Writer(operations, Object.keys(edges), seed);
  const tally: Tally = { compared: 0, rows: 0, fellBack: 0, failed: 0, stayed: new Map(), different: [] };
  for (let number = 0; number < count; number += 1) await compareOne(engines, writer.statement(), tally);
  return tally;
}

async function compareOne(engines: Engines, statement: string, tally: Tally): Promise<void> {
  const bound = await engines.bound(statement).catch(() => undefined);
  if (!bound) return;
  const types = bound.columns.map(({ type }) => type);
  const text = await engines.translated(statement, types, provenSignatures).catch((error: Error) => {
    tally.stayed.set(error.message, (tally.stayed.get(error.message) ?? 0) + 1);
  });
  if (text === undefined) return;
  const here = await engines.local(bound.sql).catch(() => undefined);
  const there = await engines.remote(text, bound.columns).catch((error) => {
    if (error instanceof TrinoRefused) return undefined;
    throw error;
  });
  if (!here) tally.failed += 1;
  else if (!there) tally.fellBack += 1;
  else {
    tally.compared += 1;
    tally.rows += here.length;
    const at = here.findIndex((line, index) => line !== there[index]);
    if (at >= 0 || here.length !== there.length)
      tally.different.push(`${statement}\n  here:  ${here[at]}\n  Trino: ${there[at]}`);
  }
}

/** Number of candidates with several values of which one is tried. */
const share = 12;

/** Returns expressions that the printer makes of proven operations: no signature is theirs alone. */
const compositions = (): Candidate[] =>
  Object.entries(edges).flatMap(([type, list]) => {
    const [one, other, third] = list.slice(-3).map((edge) => literalOf(type, edge, (name) => name));
    const lists = [
      `${one}`,
      `${one}, ${other}`,
      `${one}, ${other}, NULL`,
      `${one}, nullif(${third}, ${third})`,
    ];
    return [
      ...lists.flatMap((items) => [`a.v IN (${items})`, `a.v NOT IN (${items})`]),
      ...[
        `a.v IS DISTINCT FROM ${one}`,
        'a.v IS NOT DISTINCT FROM NULL',
        `(a.v IN (${other}, NULL)) IS NULL`,
      ],
      ...[`a.v BETWEEN ${one} AND ${other}`, `CASE a.v WHEN ${one} THEN true WHEN NULL THEN false END`],
    ].map((expression): Candidate => ({ expression, types: [type], kind: 'row' }));
  });

/** Returns candidates whose signatures are in the table. */
async function provenOperations(engines: Engines, seed: number): Promise<Operation[]> {
  const { rows } = await engines.trino('SHOW FUNCTIONS');
  const operations: Operation[] = [];
  const chance = new Chance(seed);
  for (const candidate of [
    ...[...conversions, ...operators, ...functions(trinoFunctions(rows)), ...compositions()],
  ]) {
    if (candidate.types.length > 1 && chance.below(share) > 0) continue;
    const statement = `SELECT ${candidate.expression} AS c FROM ${sourceOf(candidate).from}`;
    const type = await engines.typeOf(statement);
    if (type === undefined) continue;
    const text = await engines.translated(statement, [type], provenSignatures).catch(() => undefined);
    if (text !== undefined) operations.push({ ...candidate, type });
  }
  return operations;
}

/** Writes statements of proven operations, some of them within others. */
export class Writer {
  readonly #chance: Chance;
  readonly #byType: ReadonlyMap<string, readonly Operation[]>;
  readonly #types: readonly string[];

  constructor(proven: readonly Operation[], types: readonly string[], seed: number) {
    this.#chance = new Chance(seed);
    this.#types = types;
    this.#byType = Map.groupBy(proven, ({ type }) => type);
  }

  /** Returns an expression of a type over `a` and `b`, whose values have these types. */
  #expression(type: string, over: readonly [string, string], depth: number): string {
    const known = this.#byType.get(type) ?? [];
    const names = over.flatMap((one, at) => (one === type ? [`${'ab'[at]}.v`] : []));
    if (depth === 0 || known.length === 0)
      return names.length > 0 ? this.#chance.one(names) : `CAST(NULL AS ${type})`;
    const { expression, types } = this.#chance.one(known);
    const inner = types.map((one) => this.#expression(one, over, depth - 1));
    return expression.replace(
      /\b([abc])\.v\b/g,
      (_, letter: string) => `(${inner['abc'.indexOf(letter)] ?? 'NULL'})`,
    );
  }

  /** Returns a statement whose rows have one order. */
  statement(): string {
    const over: [string, string] = [this.#chance.one(this.#types), this.#chance.one(this.#types)];
    const of = (type: string, depth = 1 + this.#chance.below(3)): string =>
      this.#expression(type, over, depth);
    const any = (): string => of(this.#chance.one([...this.#byType.keys()]));
    const where = this.#chance.below(2) === 0 ? '' : ` WHERE ${of('BOOLEAN')}`;
    const form = this.#form(any, of, where);
    return form.replace('$a', tableOf(over[0])).replace('$b', tableOf(over[1]));
  }

  #form(any: () => string, of: (type: string, depth?: number) => string, where: string): string {
    const from = ' FROM $a AS a CROSS JOIN $b AS b';
    const key = this.#chance.one(['VARCHAR', 'BIGINT', 'DATE', 'BOOLEAN']);
    const number = this.#chance.one(['BIGINT', 'INTEGER']);
    switch (this.#chance.below(7)) {
      case 0:
        return `SELECT ${of(key)} AS k, count(*) AS n, sum(${of(number)}) AS s, avg(${of(number)}) AS m, max(${any()}) AS x, count(DISTINCT ${of(key)}) AS d${from}${where} GROUP BY 1 ORDER BY 1`;
      case 1:
        return `SELECT DISTINCT ${of(key)} AS k, ${of(key)} AS l${from}${where} ORDER BY 1 DESC, 2`;
      case 2:
        return `WITH t AS (SELECT a.i, ${of(key)} AS k, ${any()} AS x${from}${where}) SELECT t.k, count(*) AS n, count(t.x) AS c, min(t.x) AS y FROM t LEFT JOIN (SELECT DISTINCT k FROM t WHERE i > 3) u ON t.k = u.k GROUP BY t.k HAVING count(*) > 1 ORDER BY n DESC, t.k`;
      case 3:
        return `SELECT a.i, b.i AS j, ${any()} AS x, row_number() OVER (PARTITION BY ${of(key)} ORDER BY a.i, b.i) AS r${from}${where} ORDER BY 1, 2`;
      case 4:
        return `SELECT round(100.0 * sum(CASE WHEN ${of('BOOLEAN')} THEN 1 ELSE 0 END) / count(*), 2) AS p, 1.0 * count(*) / 7 AS q, count(${any()}) AS c${from}${where}`;
      case 5:
        return `SELECT ${of(this.#chance.one([...this.#byType.keys()]))} AS k, a.i, b.i AS j${from}${where} ORDER BY k, a.i, b.i`;
      default:
        return `SELECT a.i, b.i AS j, ${any()} AS x, ${any()} AS y, ${any()} AS z${from}${where} ORDER BY a.i, b.i`;
    }
  }
}
