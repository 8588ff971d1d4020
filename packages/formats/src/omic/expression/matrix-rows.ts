import { attributesOf, numberAt, RecordFault } from '../../delimited/index.ts';
import type { Row } from '../../parquet/index.ts';
import type { OpenFile } from '../format.ts';
import { unnamedGenes } from './gene-name.ts';
import { GeneNames } from './gene-names.ts';
import type { GeneTable } from './gene-table.ts';
import { sampleNamesOf } from './sample-columns.ts';
import { namesCounts } from './unit.ts';

/** Table of genes whose other columns are known as well. */
interface Matrix extends GeneTable {
  /** Places of the values. */
  samples: readonly number[];
  /** Names of columns about several samples. */
  statistics: readonly string[];
  /** Indexes of the columns that are dropped. */
  unread: readonly number[];
  /** Set for a name of transformed values: logarithms, scores or the like. */
  isTransformed?: boolean;
  /** Set if the file and its columns are named after different units. */
  isContradicted?: boolean;
}

/** Evidence, beside whole numbers, that values are counts: the file itself (`none`: no guess), its name, or nothing (`blind`). */
type Guess = 'none' | 'named' | 'blind';

export const guessOf = (fileName: string): Guess => (namesCounts(fileName) ? 'named' : 'blind');

/** Opens a table of genes. Guessed counts must be whole numbers: estimated ones, and reads divided among genes, are fractions. */
export function matrixRows(table: Matrix, unit: string | undefined, guess: Guess): OpenFile {
  const { header, gene, samples: places, statistics, unread } = table;
  let isBlind = unit === 'count' && guess === 'blind';
  let unnamed = 0;
  const genes = new GeneNames(table, places);
  const samples = sampleNamesOf(places.map((place) => header.names[place] ?? ''));
  const attributes = attributesOf(header, [0, ...genes.places, ...places, ...unread]);
  const isNormalized = unit === undefined ? undefined : unit !== 'count';
  return {
    isOneSample: samples.every((name) => name === undefined),
    samples: samples.filter((name) => name !== undefined),
    rows(fields) {
      header.check(fields);
      // Reads that were counted for no gene (HTSeq's manual).
      if (noGene.test(fields[gene] ?? '')) {
        isBlind = false;
        return [];
      }
      const found = genes.at(fields);
      if (!found) throw new RecordFault('the gene is missing', gene + 1);
      const { transcript_id, ...named } = found;
      const shared = {
        ...named,
        attributes: attributes(fields, { transcript_id }),
        is_normalized: isNormalized,
        expression_unit: unit,
      };
      const rows = places.flatMap((place, index): Row[] => {
        const value = numberAt(fields, place);
        if (value === undefined) return [];
        if (unit === 'count' && value < 0) throw new RecordFault('a count cannot be below 0', place + 1);
        if (unit === 'count' && guess !== 'none' && !Number.isInteger(value)) throw noCount(place);
        const rawCount = unit === 'count' ? value : undefined;
        return [{ ...shared, sample_id: samples[index], expression: value, raw_count: rawCount }];
      });
      if (transcript_id !== undefined && named.gene_id === transcript_id) unnamed += rows.length;
      return rows;
    },
    isGuess: () => isBlind,
    remarks: () => [
      ...(unit === undefined
        ? [table.isTransformed ? transformedUnit : table.isContradicted ? twoUnits : noUnit]
        : []),
      ...(statistics.length > 0 ? [leftOut(statistics)] : []),
      ...unnamedGenes(unnamed),
    ],
  };
}

/** Counters of HTSeq, in version 0.5 without a mark. */
const noGene = /^\s*(?:__|(?:no_feature|ambiguous|too_low_aQual|not_aligned|alignment_not_unique)\s*$)/;

const leftOut = (columns: readonly string[]): string =>
  `These columns seem to be computed from several samples and were kept in attributes: ${columns.join(', ')}. Rename them if they are samples.`;
const noUnit =
  'The unit of the values is unknown: expression_unit is NULL. Put it into the file name (expected_counts, tpm, fpkm, cpm).';
const twoUnits =
  'The names of the file and of its columns name different units: expression_unit is NULL. Correct the name of the file (counts, tpm, fpkm, cpm).';
const transformedUnit =
  'According to the names of the file or its columns the values are logarithms, scores or otherwise transformed: expression_unit is NULL. Upload untransformed values, or a table with expression_unit.';
/**
 * Creates the error for counts that turn out to be fractions: earlier values are in the rows already, and the file has to be uploaded again.
 */
function noCount(place: number): RecordFault {
  return new RecordFault(
    'a count has to be a whole number; say in the file name what the values are (expected_counts, tpm, fpkm, cpm), or upload a table with expression_unit',
    place + 1,
    { isOfFile: true },
  );
}
