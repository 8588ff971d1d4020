/** Whose rows they are, in tables that name samples in a column. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TabularType } from '@ploidy/formats';
import { convertText, pick } from './testing/conversion.ts';

/** Our own tables without the column of the sample, the header and two lines. */
const tables: [type: TabularType, lines: string[]][] = [
  ['copynumber', ['gene,copy_number', 'BRAF,2', 'TP53,1']],
  ['expression', ['gene_id,expression,expression_unit', 'ENSG1,2,tpm', 'ENSG2,1,tpm']],
  ['fusion', ['gene1,gene2', 'BCR,ABL1', 'EML4,ALK']],
];

/** The same with a further column. */
const table = (lines: string[], ...column: string[]): string =>
  `${lines.map((line, place) => `${line},${column[place]}`).join('\n')}\n`;

for (const [type, lines] of tables) {
  describe(type, () => {
    test('blanks around a name in the header do not hide the column of the samples', async () => {
      for (const name of [' sample_id', 'sample_id ', '\u00a0Sample_ID\u00a0', '" sample_id"']) {
        const { rows, sequences } = await convertText(type, table(lines, name, 'A', 'B'));
        assert.deepEqual(pick(rows, 'sample_id').sort(), ['A', 'B'], JSON.stringify(name));
        assert.equal(sequences.length, 2);
        await assert.rejects(convertText(type, table(lines, name, 'A', 'B'), { patientId: 'P' }), {
          message: /has 2/,
        });
      }
    });

    test('a header whose quotes are wrong is refused, since a column may hide behind them', async () => {
      await assert.rejects(convertText(type, table(lines, ' "sample_id"', 'A', 'B')), { name: 'InputError' });
    });
  });
}
