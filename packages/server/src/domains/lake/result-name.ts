import { prefixEnd } from '../../names.ts';
import type { Transaction } from '../../platform/records/records.ts';

/** Room behind the name that is asked for. */
export const suffixBytes = '(999999)'.length;

/**
 * The name of a result file: the one asked for, or, when it is taken, with `(n + 1)` at its very end, n being the number
 * of files of that name with or without a suffix (specification D.3); when that is taken too, the next free number.
 */
export async function freeResultName(tx: Transaction, project: string, wanted: string): Promise<string> {
  const suffixed = `${wanted}(`;
  const rows = await tx
    .selectFrom('files')
    .select('name')
    .where('project_id', '=', project)
    .where((where) =>
      where.or([
        where('name', '=', wanted),
        where.and([where('name', '>=', suffixed), where('name', '<', prefixEnd(suffixed))]),
      ]),
    )
    .execute();
  const suffix = /^\(\d+\)$/;
  const names = new Set(
    rows.map((row) => row.name).filter((name) => name === wanted || suffix.test(name.slice(wanted.length))),
  );
  if (!names.has(wanted)) return wanted;
  let number = names.size + 1;
  while (names.has(`${wanted}(${number})`)) number++;
  return `${wanted}(${number})`;
}
