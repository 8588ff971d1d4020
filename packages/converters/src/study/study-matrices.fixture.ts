/** Adds matrices of genes and samples to a made study folder, and the values that they have. */

export const tsv = (rows: readonly (readonly unknown[])[], end = '\n'): string =>
  rows.map((row) => `${row.join('\t')}${end}`).join('');

interface MadeFolder {
  files: Record<string, string>;
  truth: { copies: string[]; expression: string[] };
  meta(name: string, type: string, datatype: string, data: string, more?: string): void;
  next(): number;
  genes: readonly string[];
  /** Ids of the samples. */
  ids: readonly string[];
}

/** Adds logarithms, values without a unit, and levels of another program, beside lines of levels. */
export function addRatios(folder: MadeFolder, levels: readonly (readonly unknown[])[]): void {
  const { files, truth, meta, genes, ids } = folder;
  const [ratios, plain] = [numbers(folder), numbers(folder)];
  for (const [name, datatype, values] of [
    ['ratio', 'LOG2-VALUE', ratios],
    ['linear', 'CONTINUOUS', plain],
  ] as const) {
    meta(name, 'COPY_NUMBER_ALTERATION', datatype, `${name}.txt`, `stable_id: ${name}_cna\n`);
    files[`study/${name}.txt`] = tsv([
      ['Hugo_Symbol', ...ids],
      ...genes.map((gene, at) => [gene, ...(values[at] ?? [])]),
      // A tab is lost: all values behind it would be those of the sample before.
      ['LOST', ...ids.slice(1).map(() => '1')],
    ]);
  }
  meta('rae', 'COPY_NUMBER_ALTERATION', 'DISCRETE', 'rae.txt', 'stable_id: rae\n');
  files['study/rae.txt'] = tsv([
    ['Hugo_Symbol', ...ids],
    ['TP53', ...ids.map(() => '-2')],
  ]);
  for (const [at, [gene, , ...values]] of levels.entries())
    for (const [n, level] of values.entries()) {
      const [log2, linear] = [Number(ratios[at]?.[n]), Number(plain[at]?.[n])];
      const attributes = { ...(level !== 'NA' && { level: Number(level) }), log2, linear };
      truth.copies.push(`${ids[n]}|${gene}|${(2 * 2 ** log2).toFixed(4)}|${JSON.stringify(attributes)}`);
    }
}

/** Adds expression and its scores. The first sample has none; a column of texts is no sample. */
export function addExpression(folder: MadeFolder): void {
  const { files, truth, meta, genes, ids } = folder;
  // An array's: its values would be averaged with those of the reads.
  meta('array', 'MRNA_EXPRESSION', 'CONTINUOUS', 'array.txt', 'stable_id: mrna_u133\n');
  files['study/array.txt'] = tsv([
    ['Hugo_Symbol', ...ids],
    ['TP53', ...ids.map(() => '9')],
  ]);
  for (const [name, datatype, profile, unit] of [
    ['expression', 'CONTINUOUS', 'mrna_seq_tpm', '-'],
    ['scores', 'Z-SCORE', 'mrna_seq_tpm_Zscores', 'z-score'],
  ] as const) {
    meta(name, 'MRNA_EXPRESSION', datatype, `data_${name}.txt`, `stable_id: ${profile}\n`);
    const values = numbers(folder).map((line) => ['NA', ...line.slice(1)]);
    files[`study/data_${name}.txt`] = tsv([
      ['Hugo_Symbol', 'Entrez_Gene_Id', 'Description', ...ids],
      ...genes.map((gene, at) => [gene, '1', 'a gene', ...(values[at] ?? [])]),
    ]);
    for (const [at, gene] of genes.entries())
      for (const [n, value] of (values[at] ?? []).entries())
        if (n > 0) truth.expression.push(`${ids[n]}|${gene}|1|${value}|${unit}|{"profile":"${profile}"}`);
  }
}

/** Numbers by gene and sample, none of which is zero. */
const numbers = ({ genes, ids, next }: MadeFolder): string[][] =>
  genes.map(() => ids.map(() => (Math.floor(next() * 4000 - 2000) / 1000 + 0.0005).toFixed(4)));
