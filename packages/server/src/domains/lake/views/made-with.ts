import { createHash } from 'node:crypto';
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

/** Longest text that is kept whole. A longer one is kept as a digest, which only an equal one covers. */
const textMax = 16_384;

/**
 * Decides what a caller may still see of rows that were read earlier. A result is a snapshot: rows that were deleted since are in
 * it, but no row, and no value of a row, that the caller could not read now.
 */
export class RowRights {
  readonly #maskKey: Uint8Array;
  readonly #countsMin: number;
  /** Access by project of callers, who are the same while their rights are: lists ask for each of their items. */
  readonly #known = new WeakMap<Caller, Map<string, RowAccess>>();
  /** Texts of accesses that mask nothing: those are the same for all tables. */
  readonly #texts = new WeakMap<RowAccess, string>();

  /** `countsMin`: minimum number of patients of a masked answer; 0: any. */
  constructor(maskKey: Uint8Array, countsMin: number) {
    this.#maskKey = maskKey;
    this.#countsMin = countsMin;
  }

  /** Returns the present access of a caller to the tables of a project. */
  accessOf(caller: Caller, tables: ResourceAttributes): RowAccess {
    return rowAccessOf(caller, tables, this.#countsMin);
  }

  /** Describes an access to tables by a text that is equal for equal rights. */
  madeWith(access: RowAccess, tables: readonly string[]): string {
    const known = this.#texts.get(access);
    if (known !== undefined) return known;
    const described = this.#described(access, tables);
    const text = JSON.stringify(described);
    const kept = text.length > textMax ? digestOf(text) : text;
    if (described.masks === '') this.#texts.set(access, kept);
    return kept;
  }

  /** Describes an access by a short text, for tokens: another one begins anew. */
  digestOf(access: RowAccess, tables: readonly string[]): string {
    return digestOf(JSON.stringify(this.#described(access, tables)));
  }

  /** Reports whether the present rows and masks of a caller cover those of a thing that was made earlier. */
  covers(caller: Caller, kept: Kept): boolean {
    const { account_id: account, project_id: dataset } = kept;
    if (!caller.isMember(account)) return false;
    const ofCaller = this.#known.get(caller) ?? new Map<string, RowAccess>();
    const access = ofCaller.get(dataset) ?? this.accessOf(caller, { account, dataset, type: 'table' });
    this.#known.set(caller, ofCaller.set(dataset, access));
    return this.coversAccess(access, kept);
  }

  /** As `covers`, with an access. All rows in full cover everything. */
  coversAccess(present: RowAccess, kept: Pick<Kept, 'tables' | 'masked' | 'made_with'>): boolean {
    if (present.real === true) return true;
    const tables = JSON.parse(kept.tables) as string[];
    // Without a text it may hold any row, and counts of any number of patients.
    const made = kept.made_with ?? this.madeWith(fullAccess(kept.masked === 1 ? 'masked' : 'real'), tables);
    if (!made.startsWith('{')) return made === this.madeWith(present, tables);
    return isCovered(JSON.parse(made) as MadeWith, this.#described(present, tables));
  }

  #described(access: RowAccess, tables: readonly string[]): MadeWith {
    const real = rowSetOf(access.real);
    if (!masksRows(access)) return { real, masked: rowSetOf(false), countsMin: 0, masks: '' };
    const masks = new Masks(this.#maskKey, '').digestOf(tables);
    return { real, masked: rowSetOf(access.masked), countsMin: access.countsMin, masks };
  }
}

function isCovered(made: MadeWith, present: MadeWith): boolean {
  if (!isWithin(made.real, present.real)) return false;
  if (isEmpty(made.masked) || isWithin(made.masked, present.real)) return true;
  const isSameForm = made.masks === present.masks && made.countsMin >= present.countsMin;
  return isSameForm && isWithin(made.masked, unionOf(present.real, present.masked));
}

const digestOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
