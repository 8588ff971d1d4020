import { columnKey, type Header, numberAt, RecordFault, textAt } from '../../delimited/index.ts';
import { InputError } from '../../input-error.ts';
import type { OpenFile, TabularFormat } from '../format.ts';
import { namesExpression, namesTransformed, unitOfFileName } from './unit.ts';

/** Symbol and Entrez's number: `TP53 (7157)`. */
const withNumber = /^(\S+)\s\((\d+)\)$/;
const sampleNames = ['modelid', 'depmap_id', 'sample', 'sample_id', '', 'unnamed:_0'];
const isDefault = 'IsDefaultEntryForModel';

/** Expression of DepMap: a line a cell line, a column a gene. */
export const depMap: TabularFormat = {
  type: 'expression',
  name: 'expression of DepMap',
  readsRowNames: true,
  open: ({ header, records, fileName, isTypeNamed }) => {
    const { names } = header;
    const genes = names.flatMap((name, place) => {
      const [, symbol, number] = withNumber.exec(name) ?? [];
      return number === undefined ? [] : [{ place, gene_id: number, gene_name: symbol }];
    });
    const sample = sampleNames
      .map((key) => names.findIndex((name) => columnKey(name) === key))
      .find((at) => at >= 0);
    const [first] = records;
    if (genes.length === 0 || sample === undefined || first === undefined) return undefined;
    if (!isTypeNamed && !namesExpression(fileName)) throw new InputError(unknownValues, { line: 1 });
    return opened(header, { sample, genes, fileName });
  },
};

interface Columns {
  sample: number;
  genes: readonly { place: number; gene_id: string; gene_name: string | undefined }[];
  fileName: string;
}

function opened(header: Header, { sample, genes, fileName }: Columns): OpenFile {
  const unit = unitOfFileName(fileName);
  const preferred = header.place(isDefault);
  let leftOut = 0;
  return {
    rows(fields) {
      header.check(fields);
      const sampleId = textAt(fields, sample);
      if (sampleId === undefined) throw new RecordFault('the sample is missing', sample + 1);
      if (preferred >= 0 && !/^(?:yes|true|1)$/i.test(textAt(fields, preferred) ?? '')) {
        leftOut += 1;
        return [];
      }
      return genes.flatMap(({ place, gene_id, gene_name }) => {
        const expression = numberAt(fields, place);
        if (expression === undefined) return [];
        const is_normalized = unit === undefined ? undefined : unit !== 'count';
        const raw_count = unit === 'count' ? expression : undefined;
        return [
          {
            sample_id: sampleId,
            gene_id,
            gene_name,
            expression,
            raw_count,
            is_normalized,
            expression_unit: unit,
          },
        ];
      });
    },
    remarks: () => [
      ...(unit === undefined ? [namesTransformed(fileName) ? transformed : noUnit] : []),
      ...(leftOut === 0
        ? []
        : [`${leftOut} lines with further profiles of a model were left out (${isDefault}).`]),
    ],
  };
}

const unknownValues =
  'This DepMap matrix has one gene per column, and the file name does not say what the values are. If they are expression values, name the type expression. Copy numbers and gene effects are not supported.';
const transformed = 'According to the file name the values are logarithms: expression_unit is NULL.';
const noUnit = 'The unit of the values is unknown: expression_unit is NULL.';
