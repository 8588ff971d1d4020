import { columnKey, type Header, isNumber } from '../delimited/index.ts';
import { InputError } from '../input-error.ts';
import { entrezColumns, idColumns, symbolColumns, transcriptColumns } from './expression/gene-columns.ts';
import { unitOfColumn } from './expression/unit.ts';
import type { Opening } from './format.ts';
import { isQuantity } from './name-forms.ts';
import {
  type CopyNumberProfile,
  type ExpressionProfile,
  type FusionProfile,
  listed,
  type Pair,
} from './profile.ts';

type Records = Opening['records'];

const program = 'table of an unknown program';
const unknown = { program, recognised: [], example: { record: '', row: '' } } as const;

/** Names of columns of segments by what they hold, as `columnKey` writes them. */
const ofSegments = {
  chromosome: /^(?:chr|chrom|chromosome|contig|seqnames?|seqid)(?:_?name)?$/,
  start: /^(?:loc_|seg(?:ment)?_?|cnv?_?)?start(?:_?(?:pos(?:ition)?|bp|coord(?:inate)?))*$/,
  end: /^(?:loc_|seg(?:ment)?_?|cnv?_?)?(?:end|stop)(?:_?(?:pos(?:ition)?|bp|coord(?:inate)?))*$/,
  copies:
    /^(?!.*(?:minor|major|min|max|allele|normal|conf|prob|qual|ratio|log|std|sd|id|type|state|call))(?:.*_)?(?:t?cn|copy_?num(?:ber)?s?|copies|total_?cn)(?:_total)?$/,
  log2: /^(?!.*(?:sd|std|conf|mad|low|high|normal))(?:.*_)?(?:log_?2?_?(?:r|ratio|fold(?:_change)?)|log2|seg(?:ment)?_?mean)(?:_(?:ratio|mean|median|copy_ratio))?$/,
} as const;

/** Names of starts that count from 1 by definition: those of the lake and of DNAcopy. */
const countsFrom1 = /^(?:start_position|loc_start)$/;

/** Returns the only column whose name has a form; undefined without one. Throws `InputError` for several. */
function onlyColumn(header: Header, form: RegExp, what: string, remedy: string): string | undefined {
  const names = header.names.filter((name) =>
    form.test(columnKey(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_'))),
  );
  if (names.length < 2) return names[0];
  throw new InputError(
    `Several columns may hold ${what} (${names.slice(0, 5).join(', ')}): name the right one ${remedy}, and the others differently.`,
    { line: 1 },
  );
}

/** Describes a table of segments by the names of its columns; undefined for other tables. Throws `InputError` for ambiguous ones. */
export function inferredSegments({ header }: Opening): CopyNumberProfile | undefined {
  const has = (form: RegExp): boolean =>
    header.names.some((name) => form.test(columnKey(name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_'))));
  const { chromosome, start, end, copies, log2 } = ofSegments;
  if (![chromosome, start, end].every(has) || !(has(copies) || has(log2))) return undefined;
  const from = onlyColumn(header, start, 'starts', 'start_position') ?? '';
  const called = onlyColumn(header, copies, 'the number of copies', 'copy_number');
  return {
    ...unknown,
    type: 'copynumber',
    chromosome: onlyColumn(header, chromosome, 'chromosomes', 'chromosome') ?? '',
    start: from,
    end: onlyColumn(header, end, 'ends', 'end_position') ?? '',
    firstBase: countsFrom1.test(columnKey(from)) ? 1 : 'seen',
    ...(called !== undefined && { copies: [called] }),
    ...(called === undefined && { log2: onlyColumn(header, log2, 'log2 ratios', 'log2') ?? '' }),
    gene: ['gene', 'gene_name', 'gene_symbol', 'symbol', 'hugo_symbol'],
  };
}

/** Marks of the first and the second partner of a fusion in names of columns. */
const partners: readonly (readonly [first: string, second: string])[] = [
  ...([
    ['1', '2'],
    ['a', 'b'],
    ['left', 'right'],
    ['up', 'down'],
    ['upstream', 'downstream'],
  ] as const),
  ...([
    ['5p', '3p'],
    ['5prime', '3prime'],
    ['5', '3'],
    ['donor', 'acceptor'],
    ['head', 'tail'],
    ['first', 'second'],
  ] as const),
];

/** Finds the columns of both partners whose names differ in the mark alone, by the rest of the names. */
function pairsIn({ names }: Header): { stem: string; pair: Pair }[] {
  const found: { stem: string; pair: Pair }[] = [];
  const keys = names.map((name) => columnKey(name.replaceAll(/(?<=[a-z])(?=[A-Z\d])/g, '_')).split('_'));
  for (const [first, second] of partners)
    for (const [place, words] of keys.entries()) {
      const at = words.indexOf(first);
      if (at < 0) continue;
      const other = words.with(at, second).join('_');
      const otherPlace = keys.findIndex((key) => key.join('_') === other);
      if (otherPlace < 0) continue;
      const stem = words.toSpliced(at, 1).join('_');
      found.push({ stem, pair: [names[place] ?? '', names[otherPlace] ?? ''] });
    }
  return found;
}

/**
 * Describes a table of fusions by the names of its columns; undefined for other tables. Positions stay attributes: whether they
 * count from 0 or from 1 is unknown. Throws `InputError` for ambiguous ones.
 */
export function inferredFusions({ header, records }: Opening): FusionProfile | undefined {
  const pairs = pairsIn(header);
  const only = (form: RegExp): Pair | undefined => pairs.find(({ stem }) => form.test(stem))?.pair;
  const genes = pairs.filter(({ stem }) =>
    /^(?:fusion_)?(?:gene|partner|symbol|gene_?(?:name|symbol)|hugo_symbol|(?:gene_)?partner(?:_gene)?)$/.test(
      stem,
    ),
  );
  const [first, second] = genes;
  if (first === undefined) return undefined;
  const isOfFusions =
    pairs.some(({ stem }) => /chr|break|strand|junction|brkpt|frame/.test(stem)) ||
    header.names.some((name) => /fusion|frame/i.test(name));
  if (!isOfFusions || areNumbers(header, records, first.pair)) return undefined;
  if (second !== undefined)
    throw new InputError(
      `Several columns may hold the genes of a fusion (${[...first.pair, ...second.pair].join(', ')}): name the right ones gene1 and gene2.`,
      { line: 1 },
    );
  const chromosomes = only(/^(?:chr|chrom|chromosome|gene_chr(?:om(?:osome)?)?)$/);
  const strands = only(/^(?:strand|gene_strand)$/);
  const ids = only(/^(?:gene_id|ensembl|ensembl_(?:gene_)?id)$/);
  const frame = header.names.find((name) => /^(?:in_?frame|(?:reading_)?frame)$/.test(columnKey(name)));
  return {
    ...unknown,
    type: 'fusion',
    genes: first.pair,
    ...(ids && { ids }),
    ...(chromosomes && { chromosomes }),
    ...(strands && { strands }),
    ...(frame !== undefined && { frame }),
  };
}

const areNumbers = (header: Header, records: Records, pair: Pair): boolean =>
  records.length > 0 &&
  pair.every((name) =>
    records.every((fields) => isNumber(fields[header.place(...listed(name))]?.trim() ?? '')),
  );

/** Units in the order of preference. */
const units = ['tpm', 'fpkm', 'cpm'];

/**
 * Describes a table of one gene a line with several quantities of one sample, by the names of its columns; undefined for other
 * tables. Throws `InputError` where two columns may hold the same quantity.
 */
export function inferredExpression({ header }: Opening): ExpressionProfile | undefined {
  const genes = [...idColumns, ...entrezColumns, ...symbolColumns, ...transcriptColumns];
  const gene = header.names[header.place(...genes)];
  const quantities = header.names.filter((name) => name !== gene && isQuantity(name));
  if (gene === undefined || quantities.length < 2) return undefined;
  const named = (unit: string): string | undefined => {
    const all = quantities.filter((name) => unitOfColumn(name) === unit);
    const exact = all.filter((name) => columnKey(name) === unit);
    const found = exact.length > 0 ? exact : all;
    if (found.length < 2) return found[0];
    throw new InputError(
      `Several columns may hold ${unit} (${found.slice(0, 5).join(', ')}): keep one of them, or name it ${unit}.`,
      { line: 1 },
    );
  };
  const unit = units.find((one) => named(one) !== undefined);
  const count = named('count');
  if (unit === undefined && count === undefined) return undefined;
  return {
    ...unknown,
    type: 'expression',
    gene,
    symbol: symbolColumns,
    transcript: transcriptColumns,
    ...(unit !== undefined && { amount: named(unit) ?? '', unit }),
    ...(count !== undefined && { count }),
  };
}
