import { type Delimiter, delimiterOf, fieldsOf, Header } from '../delimited/index.ts';
import { geneTableKinds, listKinds } from './gene-kinds.ts';
import type { ListKind, SourceColumn, SourceKind, TableKind, VcfKind } from './source-kind.ts';
import { tableKinds } from './table-kinds.ts';
import { vcfKinds } from './vcf-kinds.ts';

/** Every kind of annotation source; the one list of their names. */
export const sourceKinds: readonly SourceKind[] = [
  ...vcfKinds,
  ...tableKinds,
  ...geneTableKinds,
  ...listKinds,
];

/** Layout of a table, found at its beginning. */
export interface SourceLayout {
  kind: TableKind | ListKind;
  delimiter: Delimiter;
  /** Lines before the first record. */
  linesBefore: number;
  /** Titles; without columns for lists. */
  header: Header;
}

/** Lines in which titles are searched. */
const headLinesMax = 200;

/** Returns the kind of a VCF by the lines of its header. `requested`: name of a kind. */
export function kindOfVcf(header: readonly string[], requested?: string): VcfKind | undefined {
  const fits = ({ recognised }: VcfKind): boolean =>
    recognised.every((pattern) => header.some((line) => pattern.test(line)));
  return vcfKinds.find((kind) => (requested === undefined ? fits(kind) : kind.name === requested));
}

/** Returns the kind and layout of a table or list by its first lines; undefined for an unknown one. */
export function kindOfTable(head: readonly string[], requested?: string): SourceLayout | undefined {
  const lines = head.slice(0, headLinesMax);
  for (const [at, line] of lines.entries()) {
    const titles = line.replace(/^\ufeff/, '').replace(/^#+\s*/, '');
    const delimiter = delimiterOf(titles, lines[at + 1]);
    const header = new Header(fieldsOf(titles, delimiter));
    const kind = [...tableKinds, ...geneTableKinds].find(
      (one) => (requested === undefined || one.name === requested) && hasColumns(header, one.recognised),
    );
    if (kind) return { kind, delimiter, linesBefore: at + 1, header };
  }
  return listOf(lines, requested);
}

const namesOf = (column: SourceColumn): readonly string[] => (typeof column === 'string' ? [column] : column);

/** Returns the place of a column; -1 without it. */
export const placeOf = (header: Header, column: SourceColumn | undefined): number =>
  column === undefined ? -1 : header.place(...namesOf(column));

const hasColumns = (header: Header, columns: readonly SourceColumn[]): boolean =>
  columns.every((column) => placeOf(header, column) >= 0);

/** Lines above the records of a BED. */
const aboveBed = /^(?:#|track\b|browser\b|$)/;

const forms: Readonly<Record<ListKind['form'], (line: string) => boolean>> = {
  bed: (line) => /^\S+\t\d+\t\d+(?:\t|$)/.test(line),
  gmt: (line) => /^[^\t]+\t[^\t]*\t[^\t\d][^\t]*/.test(line),
  genes: (line) => /^(?:gene|genes|symbol|gene[ _]symbol|hugo_symbol)$/i.test(line),
};

function listOf(lines: readonly string[], requested: string | undefined): SourceLayout | undefined {
  const above = lines.findIndex((line) => !aboveBed.test(line));
  const first = lines[above]?.replace(/^\ufeff/, '');
  if (first === undefined) return undefined;
  const kind = listKinds.find(
    ({ name, form }) => (requested === undefined || name === requested) && forms[form](first),
  );
  if (!kind) return undefined;
  // The word above a list of genes is no gene.
  const linesBefore = kind.form === 'genes' ? above + 1 : above;
  return { kind, delimiter: kind.form === 'genes' ? '\n' : '\t', linesBefore, header: new Header([]) };
}
