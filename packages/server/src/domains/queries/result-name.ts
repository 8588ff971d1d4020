import { prefixEnd } from '../../base/names.ts';
import type { Transaction } from '../../platform/records/records.ts';
import { type FileFormat, splitName } from './result-format.ts';

/** Bytes reserved for a suffix after the requested name. */
export const suffixBytes = '(999999)'.length;

/**
 * Chooses the name of a result file: the requested one, or, if taken, with `(n + 1)`, n being the number of files with that name and
 * any number (specification D.3); if taken too, the next free number.
 */
export async function freeResultName(
  tx: Transaction,
  project: string,
  wanted: string,
  format: FileFormat,
): Promise<string> {
  const [stem, ending] = splitName(wanted, format);
  const numbered = `${stem}(`;
  const rows = await tx
    .selectFrom('files')
    .select('name')
    .where('project_id', '=', project)
    .where((where) =>
      where.or([
        where('name', '=', wanted),
        where.and([where('name', '>=', numbered), where('name', '<', prefixEnd(numbered))]),
      ]),
    )
    .execute();
  const isNumbered = (name: string): boolean =>
    name.endsWith(ending) && /^\(\d+\)$/.test(name.slice(stem.length, name.length - ending.length));
  const names = new Set(rows.map((row) => row.name).filter((name) => name === wanted || isNumbered(name)));
  if (!names.has(wanted)) return wanted;
  let number = names.size + 1;
  while (names.has(`${stem}(${number})${ending}`)) number++;
  return `${stem}(${number})${ending}`;
}
