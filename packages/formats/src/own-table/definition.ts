import { InputError } from '../input-error.ts';
import {
  type ColumnType,
  columnNameOf,
  keyColumns,
  type Mask,
  masksOfType,
  type OwnColumn,
} from '../tables/index.ts';
import { kindOf } from './value.ts';

/** Options of a request for the table of a file. */
export interface OwnTableRequest {
  /** Absent: derived from the name of the file. */
  name?: string;
  /** Title of the column with the patient; absent: the column `patient_id`, if there is one. */
  patientColumn?: string;
  sampleColumn?: string;
  /** Further words for no value, in every column. */
  nulls?: string[];
  columns?: { name: string; type?: ColumnType; mask?: Mask }[];
}

/** Column whose type may still be unknown. */
interface PlannedColumn extends Pick<OwnColumn, 'name' | 'mask'> {
  type: ColumnType | undefined;
}

const columnsMax = 2000;
const titleLengthMax = 255;

/** Plans the columns of a table from their titles. Throws `InputError` for titles that name no columns. */
export function planColumns(titles: readonly string[], request: OwnTableRequest): PlannedColumn[] {
  requireTitles(titles);
  const names = titles.map((title, at) => columnNameOf(title) || `column_${at + 1}`);
  const placeOf = (title: string, option: string): number => {
    const exact = titles.indexOf(title);
    const place = exact < 0 ? names.indexOf(columnNameOf(title)) : exact;
    if (place < 0) throw new InputError(`The file has no column "${title}", which ${option} names.`);
    return place;
  };
  for (const [key, option] of [
    ['patient_id', 'patientColumn'],
    ['sample_id', 'sampleColumn'],
  ] as const) {
    const title = request[option];
    if (title !== undefined) names[placeOf(title, option)] = key;
  }
  requireDistinct(names);
  const planned = names.map((name) => planOf(name));
  for (const { name: title, type, mask } of request.columns ?? []) {
    const column = planned[placeOf(title, 'columns')] as PlannedColumn;
    if (isKey(column.name) && ((type ?? 'string') !== 'string' || (mask ?? 'hash') !== 'hash'))
      throw new InputError(
        `The column ${column.name} must be a string with the mask hash, as in every table.`,
      );
    column.type = type ?? column.type;
    column.mask = mask ?? column.mask;
  }
  return planned;
}

/** Completes a column by the type of its values. Throws `InputError` for a mask of another type. */
export function settleColumn({ name, mask, type }: PlannedColumn, sniffed: ColumnType): OwnColumn {
  const settled = { name, mask, type: type ?? sniffed };
  const possible = masksOfType[settled.type];
  if (possible.includes(mask)) return settled;
  throw new InputError(
    `The mask ${mask} cannot be used for ${name}, which is of type ${settled.type}: give it another type, or one of the masks ${possible.join(', ')}.`,
  );
}

const isKey = (name: string): boolean => keyColumns.some((key) => key === name);

const planOf = (name: string): PlannedColumn =>
  isKey(name) ? { name, mask: 'hash', type: 'string' } : { name, mask: 'null', type: undefined };

/** Throws `InputError` for more columns than a table may have: as soon as they are counted, before the rest is read. */
export function requireColumnCount(count: number, line = 1): void {
  if (count <= columnsMax) return;
  throw new InputError(`The file has more than ${columnsMax} columns: split it into several files.`, {
    line,
  });
}

function requireTitles(titles: readonly string[]): void {
  const place = { line: 1 };
  if (titles.length === 0) throw new InputError('The file names no columns.', place);
  requireColumnCount(titles.length);
  if (titles.some((title) => title.length > titleLengthMax))
    throw new InputError(
      `A title of a column is longer than ${titleLengthMax} characters: shorten it, or add a first line of titles.`,
      place,
    );
  if (titles.every((title) => title === '' || !['text', 'boolean'].includes(kindOf(title))))
    throw new InputError('The first line holds values instead of titles: put a line of titles above.', place);
}

function requireDistinct(names: readonly string[]): void {
  const places = new Map<string, number>();
  for (const [at, name] of names.entries()) {
    const before = places.get(name);
    if (before !== undefined)
      throw new InputError(`The columns ${before + 1} and ${at + 1} are both called ${name}: rename one.`, {
        line: 1,
        column: at + 1,
      });
    places.set(name, at);
  }
}
