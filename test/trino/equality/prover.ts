import { TrinoRefused } from '../../../packages/engine/src/cluster/client.ts';
import { castMark } from '../../../packages/engine/src/cluster/proof.ts';
import { trinoType } from '../../../packages/engine/src/cluster/types.ts';
import { renamed as renamedNames } from '../../../packages/engine/src/dialect/renamed.ts';
import { type Candidate, sourceOf } from './candidates.ts';
import type { Engines, Lines } from './engines.ts';
import { columnsOf, expressionOf, inexact, inTrino, nameOf, plain, refused, stateOf } from './texts.ts';

/** Candidate that the printer prints if its one unknown signature is right. */
export interface Proposal extends Candidate {
  signature: string;
  /** Type in the local engine. */
  type: string;
  /** Statement that was sent, for the local engine, and its part for Trino. */
  local: string;
  remote: string;
}

/** Functions that only the guard has. */
const renamed = new RegExp(`\\b(?:${[...renamedNames.keys(), 'approx_distinct', 'listagg'].join('|')})\\(`);

const batchMax = 40;

/** Proves signatures with the engines. */
export class Prover {
  readonly signatures = new Map<string, string>();
  readonly kept = new Map<string, string>();
  /** Values that were compared. */
  compared = 0;
  readonly #engines: Engines;

  constructor(engines: Engines) {
    this.#engines = engines;
  }

  /** Proves candidates, those first whose parts are proven. */
  async prove(candidates: readonly Candidate[]): Promise<void> {
    for (let before = -1; before < this.signatures.size; ) {
      before = this.signatures.size;
      await this.#round(candidates);
    }
  }

  async #round(candidates: readonly Candidate[]): Promise<void> {
    const bySource = new Map<string, Proposal[]>();
    for (const candidate of candidates) {
      const proposal = await this.#propose(candidate);
      if (!proposal) continue;
      const { from } = sourceOf(proposal);
      bySource.set(from, [...(bySource.get(from) ?? []), proposal]);
    }
    for (const one of bySource.get('') ?? []) await this.#judgeWhole(one);
    bySource.delete('');
    for (const proposals of bySource.values())
      for (let at = 0; at < proposals.length; at += batchMax)
        await this.#judge(proposals.slice(at, at + batchMax));
  }

  /** A function with other last digits for some numbers may have them for more than the edges show. */
  dropInexact(): void {
    const names = new Set(
      [...this.kept].flatMap(([key, reason]) => (inexact.test(reason) ? [nameOf(key)] : [])),
    );
    for (const [key, type] of this.signatures) {
      if (!type.startsWith('DOUBLE') || !(names.has(nameOf(key)) || this.#isOfDouble(key))) continue;
      this.signatures.delete(key);
      this.kept.set(key, 'other last digits for other types');
    }
  }

  /** Reports whether a function of one number is unproven for DOUBLE, whose table has the most values. */
  #isOfDouble(key: string): boolean {
    const [, name] = /^([a-z]\w*)\((?:INTEGER|BIGINT|HUGEINT|DECIMAL)\)$/.exec(key) ?? [];
    return name !== undefined && !this.signatures.has(`${name}(DOUBLE)`);
  }

  /** Returns what the printer makes of a candidate; nothing if that needs signatures that are not proven. */
  async #propose(candidate: Candidate): Promise<Proposal | undefined> {
    const { from } = sourceOf(candidate);
    const isWhole = candidate.kind === 'whole';
    const statement = isWhole ? candidate.expression : `SELECT ${candidate.expression} AS c FROM ${from}`;
    const bound = await this.#boundOf(statement);
    const given = bound?.columns.map((column) => column.type);
    const type = candidate.gives === 'last' ? given?.at(-1) : (candidate.gives ?? given?.[0]);
    if (!bound || !given || type === undefined) return undefined;
    let signature: string | undefined;
    const known = this.signatures;
    const guess = {
      get(key: string): string | undefined {
        if (known.has(key)) return known.get(key);
        signature ??= key;
        return signature === key ? type.replace(/DECIMAL\(.*?\)/, 'DECIMAL') : undefined;
      },
      has: (key: string) => known.has(key),
    };
    const text = await this.#engines
      .translated(statement, given, guess as never)
      .catch((error: Error) => void this.#note(signature ?? statement, error.message));
    if (text === undefined || signature === undefined || this.kept.has(signature)) return undefined;
    return { ...candidate, signature, type, local: bound.sql, remote: isWhole ? text : expressionOf(text) };
  }

  readonly #bound = new Map<string, Awaited<ReturnType<Engines['bound']>> | undefined>();

  async #boundOf(statement: string) {
    if (!this.#bound.has(statement)) {
      const isKnown = renamed.test(statement) || (await this.#engines.typeOf(statement)) !== undefined;
      this.#bound.set(
        statement,
        isKnown ? await this.#engines.bound(statement).catch(() => undefined) : undefined,
      );
    }
    return this.#bound.get(statement);
  }

  /** Reasons for candidates that were not tried. */
  readonly untried = new Map<string, string>();

  #note(signature: string, reason: string): void {
    this.untried.set(signature, reason);
  }

  async #judgeWhole({ expression, signature, type, local, remote }: Proposal): Promise<void> {
    const { columns } = await this.#engines.bound(expression);
    const [here, there] = [
      await this.#engines.local(local),
      await this.#engines.remote(remote, columns).catch(refused),
    ];
    this.compared += here.length;
    const at = there === undefined ? -1 : here.findIndex((line, index) => line !== there[index]);
    if (there && at < 0 && here.length === there.length && !this.kept.has(signature))
      this.signatures.set(signature, type.replace(/DECIMAL\(.*?\)/, 'DECIMAL'));
    else {
      this.signatures.delete(signature);
      this.kept.set(signature, there ? `row ${at}: ${here[at]} here, ${there[at]} in Trino` : 'refused');
    }
  }

  async #judge(proposals: readonly Proposal[]): Promise<void> {
    const marked = await this.#marked(proposals);
    if (marked.length === 0) return;
    const [first] = marked;
    if (!first) return;
    const results = await this.#remote(marked, first);
    for (const [at, proposal] of marked.entries()) {
      const local = await this.#local(proposal);
      const remote = results[at] ?? [];
      const difference = this.#difference(local, remote);
      this.compared += remote.length;
      if (difference !== undefined) {
        this.signatures.delete(proposal.signature);
        this.kept.set(proposal.signature, difference);
      } else if (!this.kept.has(proposal.signature))
        this.signatures.set(proposal.signature, this.#resultOf(proposal));
    }
  }

  readonly #casts = new Set<string>();

  #resultOf({ signature, type }: Proposal): string {
    return type.replace(/DECIMAL\(.*?\)/, 'DECIMAL') + (this.#casts.has(signature) ? castMark : '');
  }

  /** Returns the proposals that Trino understands; those of another type there become a cast. */
  async #marked(proposals: readonly Proposal[]): Promise<Proposal[]> {
    const [first] = proposals;
    if (!first) return [];
    const { from } = sourceOf(first);
    const list = proposals.map(({ remote }, at) => `${remote} AS c${at}`).join(', ');
    try {
      const { types } = await this.#engines.trino(`SELECT * FROM (SELECT ${list} FROM ${from}) LIMIT 0`);
      return proposals.map((proposal, at) => {
        const wanted = trinoType(proposal.type);
        const given = (types[at] ?? '').toUpperCase();
        if (plain(given) === plain(wanted)) return proposal;
        this.#casts.add(proposal.signature);
        return { ...proposal, remote: `CAST(${proposal.remote} AS ${wanted})` };
      });
    } catch (error) {
      if (!(error instanceof TrinoRefused) && !/type/.test(String(error))) throw error;
      if (proposals.length === 1) {
        this.#note(first.signature, String((error as Error).message));
        return [];
      }
      const half = Math.ceil(proposals.length / 2);
      return [
        ...(await this.#marked(proposals.slice(0, half))),
        ...(await this.#marked(proposals.slice(half))),
      ];
    }
  }

  /** Returns the values of each proposal, one list for each. A value is preceded by its state: empty after a failure. */
  async #remote(proposals: readonly Proposal[], first: Proposal): Promise<Lines[]> {
    const { from, where, keys } = sourceOf(first);
    const isGroup = first.kind === 'group';
    const texts = proposals.flatMap(({ remote }, at) =>
      isGroup
        ? [`1 AS s${at}`, `${remote} AS c${at}`]
        : [`${stateOf('try', remote)} AS s${at}`, `try(${remote}) AS c${at}`],
    );
    const columns = proposals.flatMap(({ type }, at) => [
      { name: `s${at}`, type: 'INTEGER' },
      { name: `c${at}`, type },
    ]);
    try {
      const lines = await this.#engines.remote(
        `SELECT ${texts.join(', ')} FROM ${inTrino(from)}${where} ORDER BY ${keys}`,
        columns,
        true,
      );
      return columnsOf(lines, proposals.length);
    } catch (error) {
      if (!(error instanceof TrinoRefused)) throw error;
      if (proposals.length > 1) {
        const lists: Lines[] = [];
        for (const proposal of proposals) lists.push(...(await this.#remote([proposal], first)));
        return lists;
      }
      return [isGroup ? await this.#groupsOf(first.types[0] ?? '', proposals[0] ?? first) : []];
    }
  }

  /** Returns the value of each group by itself: a failure of one is none of the others. */
  async #groupsOf(type: string, proposal: Proposal): Promise<Lines> {
    const { from } = sourceOf(proposal);
    const { rows } = await this.#engines.trino(`SELECT DISTINCT g FROM ${from.split(' ')[0]} ORDER BY 1`);
    const lines: string[] = [];
    for (const [group] of rows) {
      const sql = `SELECT 1 AS s, ${proposal.remote} AS c FROM ${inTrino(from).replace('GROUP BY', `WHERE g = ${group} GROUP BY`)}`;
      const columns = [
        { name: 's', type: 'INTEGER' },
        { name: 'c', type: proposal.type },
      ];
      const [line = ','] = await this.#engines.remote(sql, columns, true).catch((error) => {
        if (error instanceof TrinoRefused) return [','];
        throw error;
      });
      lines.push(line);
    }
    void type;
    return columnsOf(lines, 1)[0] ?? [];
  }

  async #local(proposal: Proposal): Promise<Lines> {
    const { from, where, keys } = sourceOf(proposal);
    if (proposal.kind === 'row') {
      const inner = proposal.local.slice('SELECT '.length, proposal.local.lastIndexOf(' AS c FROM '));
      const sql = `SELECT ${stateOf('TRY', inner)} AS s, TRY(${inner}) AS c FROM ${from}${where} ORDER BY ${keys}`;
      try {
        return columnsOf(await this.#engines.local(sql), 1)[0] ?? [];
      } catch (error) {
        return [`failed: ${String(error).slice(0, 200)}`];
      }
    }
    const inner = proposal.local.slice('SELECT '.length, proposal.local.lastIndexOf(' AS c FROM '));
    const sql = `SELECT 1 AS s, ${inner} AS c FROM ${from} ORDER BY ${keys}`;
    try {
      return columnsOf(await this.#engines.local(sql), 1)[0] ?? [];
    } catch {
      const groups = await this.#engines.local(`SELECT DISTINCT g FROM ${from.split(' ')[0]} ORDER BY 1`);
      const lines: string[] = [];
      for (const group of groups) {
        const one = `SELECT 1 AS s, ${inner} AS c FROM ${from.replace('GROUP BY', `WHERE g = ${group} GROUP BY`)}`;
        const [line = ','] = await this.#engines.local(one).catch(() => [',']);
        lines.push(line);
      }
      return columnsOf(lines, 1)[0] ?? [];
    }
  }

  /** Returns the first difference: a value in Trino that is not the local engine's. A failure in Trino is none. */
  #difference(local: Lines, remote: Lines): string | undefined {
    if (local.length !== remote.length)
      return local[0]?.startsWith('failed')
        ? local[0]
        : `${local.length} rows here, ${remote.length} in Trino`;
    let values = 0;
    for (const [at, one] of remote.entries()) {
      const [state] = one.split('|');
      if (state === '') continue;
      if (state === '1') values += 1;
      if (one !== local[at]) return `row ${at}: ${local[at]} here, ${one} in Trino`;
    }
    return values === 0 ? 'Trino fails for all values' : undefined;
  }
}
