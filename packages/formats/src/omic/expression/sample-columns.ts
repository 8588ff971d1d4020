import { isQuantity, isStatistic, measuredSample, sharedMeasure } from '../name-forms.ts';
import { describesGene, statisticsAmong } from './gene-columns.ts';
import { type GeneTable, isSampleLikeTranscripts } from './gene-table.ts';

const alignment = /\.(?:bam|sam|cram)$/i;

/** Alone they say what is counted, or are what R and pandas call a column without a name; beside others they are samples: of total RNA, hours, visits. */
const namesBesideOthers = new Set(['sum', 'total', 'x', 'v1', 'v2', '0']);

/**
 * Reads the samples of the columns of values. featureCounts names them after BAM files: folders, `.bam` and suffixes of STAR
 * are cut, as is a quantity that all names have. Undefined for names of units.
 */
export function sampleNamesOf(columns: readonly string[]): (string | undefined)[] {
  const isAlone = columns.length === 1;
  const shared = sharedMeasure(columns);
  if (shared !== undefined && !isStatistic(shared))
    return columns.map((column) => measuredSample(column)?.sample);
  return columns.map((column) => {
    const name = column.trim();
    const key = name.toLowerCase();
    if (namesBesideOthers.has(key) ? isAlone : key === '' || key.startsWith('unnamed:') || isQuantity(name))
      return undefined;
    return isAlignment(name) ? nameOfAlignment(name) : name;
  });
}

function nameOfAlignment(path: string): string {
  const file = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
  return file.replace(alignment, '').replace(/[._]?Aligned\.sortedByCoord\.out$/, '');
}

/** Finds the columns of values, and the names of those about several samples. `others`: indexes that a format excludes. */
export function valueColumns(
  { header, gene }: GeneTable,
  records: Parameters<typeof isSampleLikeTranscripts>[2],
  others: readonly number[],
): { samples: number[]; statistics: string[] } {
  const { names } = header;
  // Row names have no name themselves, and are first.
  const known = new Set([gene, names[0] === '' ? 0 : gene, ...others]);
  const places = [...names.keys()].filter((place) => {
    if (known.has(place)) return false;
    return !describesGene(names[place] ?? '', header) || isSampleLikeTranscripts(names, place, records);
  });
  const statistics = statisticsAmong(places.map((place) => names[place] ?? ''));
  const samples = places.filter((place) => !statistics.includes(names[place] ?? ''));
  return samples.length > 0 ? { samples, statistics } : { samples: places, statistics: [] };
}

/** Returns whether a column has the name of a file of aligned reads. */
export const isAlignment = (name: string): boolean => alignment.test(name.trim());
