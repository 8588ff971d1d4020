import { createHash } from 'node:crypto';
import { tables as fixedTables, type Table } from '@ploidy/formats/tables';
import type { Caller } from '../../../access/caller.ts';
import type { ResourceAttributes } from '../../../access/resource.ts';
import { isEmpty, isWithin, type RowSet, rowSetOf, unionOf } from '../../../access/row-sets.ts';
import { Masks } from './masks.ts';
import { fullAccess, masksRows, type RowAccess, rowAccessOf } from './row-access.ts';

/** Access with which rows were read: in a canonical form, with the masks of that time. */
interface MadeWith {
  real: RowSet;
  masked: RowSet;
  countsMin: number;
  /** Digest of the masks of the tables; empty if no row was masked. */
  masks: string;
}

/** Thing of a project that holds rows. */
export interface Kept {
  account_id: string;
  project_id: string;
  /** JSON array of the tables from which the rows are. */
  tables: string;
  /** 1 if no row was shown in full. */
  masked: number;
  /** Text of `RowRights.madeWith`; null: made before these were kept. */
  made_with: string | null;
}

/** Definitions of tables by name; those of the service itself need not be there. */
type Definitions = ReadonlyMap<string, Table>;

/** Longest text that is kept whole. A longer one is kept as a digest, which only an equal one covers. */
const textMax = 16_384;

/**
 * Decides what a caller may still see of rows that were read earlier. A result is a snapshot, and includes rows that were
 * deleted since. It has no row or value that the caller could not read now.
 */
export class RowRights {
  readonly #maskKey: Uint8Array;
  readonly #countsMin: number;
  readonly #ownTables: (project: string) => Promise<Definitions>;
  /** Access by project of callers, who are the same while their rights are: lists ask for each of their items. */
  readonly #known = new WeakMap<Caller, Map<string, RowAccess>>();
  /** Texts of accesses that mask nothing: those are the same for all tables. */
  readonly #texts = new WeakMap<RowAccess, string>();

  /**
   * `countsMin`: minimum number of patients of a masked answer; 0: any. `ownTables`: finds the tables that a project
   * defines itself at present.
   */
  constructor(maskKey: Uint8Array, countsMin: number, ownTables: (project: string) => Promise<Definitions>) {
    this.#maskKey = maskKey;
    this.#countsMin = countsMin;
    this.#ownTables = ownTables;
  }

  /** Returns the present access of a caller to the tables of a project. */
  accessOf(caller: Caller, tables: ResourceAttributes): RowAccess {
    return rowAccessOf(caller, tables, this.#countsMin);
  }

  /** Describes an access to tables, as they are defined then, by a text that is equal for equal rights. */
  madeWith(access: RowAccess, tables: readonly string[], defined: Definitions): string {
    const known = this.#texts.get(access);
    if (known !== undefined) return known;
    const described = this.#described(access, tables, defined);
    const text = JSON.stringify(described);
    const kept = text.length > textMax ? digestOf(text) : text;
    if (described.masks === '') this.#texts.set(access, kept);
    return kept;
  }

  /** Describes an access by a short text, for tokens: another one begins anew. */
  digestOf(access: RowAccess, tables: readonly string[], defined: Definitions): string {
    return digestOf(JSON.stringify(this.#described(access, tables, defined)));
  }

  /** Reports whether the present rows and masks of a caller cover those of a thing that was made earlier. */
  async covers(caller: Caller, kept: Kept): Promise<boolean> {
    return (await this.covered(caller, [kept])).has(kept);
  }

  /** Returns the things that the present rows and masks of a caller cover. */
  async covered<K extends Kept>(caller: Caller, all: readonly K[]): Promise<ReadonlySet<K>> {
    const known = new Map<string, Definitions>();
    const covered = new Set<K>();
    for (const kept of all) {
      const { account_id: account, project_id: project } = kept;
      if (!caller.isMember(account)) continue;
      const access = this.#presentAccess(caller, account, project);
      // Only the masks of a project's own tables can change.
      const asks = masksRows(access) && namesOf(kept).some((name) => !fixedTables.has(name));
      if (asks && !known.has(project)) known.set(project, await this.#ownTables(project));
      if (this.coversAccess(access, kept, known.get(project) ?? fixedTables)) covered.add(kept);
    }
    return covered;
  }

  #presentAccess(caller: Caller, account: string, dataset: string): RowAccess {
    const ofCaller = this.#known.get(caller) ?? new Map<string, RowAccess>();
    const access = ofCaller.get(dataset) ?? this.accessOf(caller, { account, dataset, type: 'table' });
    this.#known.set(caller, ofCaller.set(dataset, access));
    return access;
  }

  /** Compares like `covers`, with an access. All rows in full cover everything. */
  coversAccess(
    present: RowAccess,
    kept: Pick<Kept, 'tables' | 'masked' | 'made_with'>,
    defined: Definitions,
  ): boolean {
    if (present.real === true) return true;
    const tables = namesOf(kept);
    // Without a text it may hold any row, and counts of any number of patients.
    const whole = fullAccess(kept.masked === 1 ? 'masked' : 'real');
    const made = kept.made_with ?? this.madeWith(whole, tables, defined);
    if (!made.startsWith('{')) return made === this.madeWith(present, tables, defined);
    return isCovered(JSON.parse(made) as MadeWith, this.#described(present, tables, defined));
  }

  #described(access: RowAccess, tables: readonly string[], defined: Definitions): MadeWith {
    const real = rowSetOf(access.real);
    if (!masksRows(access)) return { real, masked: rowSetOf(false), countsMin: 0, masks: '' };
    const masks = new Masks(this.#maskKey, '').digestOf(tables, defined);
    return { real, masked: rowSetOf(access.masked), countsMin: access.countsMin, masks };
  }
}

const namesOf = ({ tables }: Pick<Kept, 'tables'>): string[] => JSON.parse(tables) as string[];

function isCovered(made: MadeWith, present: MadeWith): boolean {
  if (!isWithin(made.real, present.real)) return false;
  if (isEmpty(made.masked) || isWithin(made.masked, present.real)) return true;
  const isSameForm = made.masks === present.masks && made.countsMin >= present.countsMin;
  return isSameForm && isWithin(made.masked, unionOf(present.real, present.masked));
}

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
