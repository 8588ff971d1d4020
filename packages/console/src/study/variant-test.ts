import { isOneOf, type Where } from '../api/where.ts';
import type { Leaf } from './conditions.ts';

/** Fields of the form of a variant, as they are typed. */
export interface VariantFields {
  gene?: string;
  kind?: 'mutation' | 'copy_number' | 'fusion';
  /** `V600E`, `p.Val600Glu`, `V600` or `600`. */
  protein?: string;
  classes?: string[];
  /** `chr7:140753336` or `chr7:140,753,000-140,754,000`. */
  region?: string;
  rsId?: string;
  significance?: string[];
  frequencyMax?: number;
  zygosity?: 'heterozygous' | 'homozygous';
  fractionMin?: number;
  depthMin?: number;
  filter?: string;
}

/** Letters of amino acids by their codes of three letters (IUPAC-IUB 1983). */
const letters: Readonly<Record<string, string>> = {
  ...{ Ala: 'A', Arg: 'R', Asn: 'N', Asp: 'D', Cys: 'C', Gln: 'Q', Glu: 'E', Gly: 'G', His: 'H', Ile: 'I' },
  ...{ Leu: 'L', Lys: 'K', Met: 'M', Phe: 'F', Pro: 'P', Ser: 'S', Thr: 'T', Trp: 'W', Tyr: 'Y', Val: 'V' },
  ...{ Ter: '*', Sec: 'U' },
};
const codes = new Map(Object.entries(letters).map(([code, letter]) => [letter, code]));

/** Writes a change of a protein in the short form: `V600E` of `p.Val600Glu`. Parentheses of a prediction are left out. */
export function shortChange(change: string): string {
  const bare = change
    .trim()
    .replace(/^(?:[\w.]+:)?p\./, '')
    .replace(/^\((.*)\)$/, '$1');
  return bare.replace(/[A-Z][a-z]{2}/g, (code) => letters[code] ?? code);
}

/** Lists the notations of a change in which sources write it. */
export function changeForms(change: string): string[] {
  const short = shortChange(change);
  const [, first = '', place = '', last = ''] =
    /^([A-Z*])(\d+)([A-Z*=]|fs.*|del|dup|ins.*)?$/.exec(short) ?? [];
  const code = codes.get(first);
  if (code === undefined) return [...new Set([`p.${short}`, short, change.trim()])];
  const long = `${code}${place}${codes.get(last) ?? last.replace(/[A-Z*]/g, (one) => codes.get(one) ?? one)}`;
  return [...new Set([`p.${short}`, `p.${long}`, short, long])];
}

/** Returns the codon of a text that names one and no change: 600 of `V600`, `p.Val600` and `600`. */
export function codonOf(text: string): number | undefined {
  const [, place] = /^(?:[A-Z*])?(\d{1,5})$/.exec(shortChange(text)) ?? [];
  return place === undefined ? undefined : Number(place);
}

/** Reads `chr7:140,753,336` or a range; both ends of one place are alike. `undefined`: not a region. */
export function regionOf(text: string): { chromosome: string; from: number; to: number } | undefined {
  const plain = text.replaceAll(/[\s,]/g, '');
  const [, name, from, to] = /^(?:chr)?([\w.]{1,64}):(\d+)(?:[-–](\d+))?$/i.exec(plain) ?? [];
  if (name === undefined || from === undefined) return undefined;
  const chromosome = name.length > 2 ? name : name.toUpperCase();
  return { chromosome, from: Number(from), to: Number(to ?? from) };
}

/** Returns the test of a form on subjects; `undefined` where nothing is given. Throws where fields do not fit. */
export function variantLeaf(fields: VariantFields): Leaf | undefined {
  const { kind = 'mutation', significance, frequencyMax, zygosity, depthMin, filter, rsId, region } = fields;
  const { kind: _, ...given } = fields;
  if (Object.values(given).every((value) => value === undefined || [value].flat().join('') === ''))
    return undefined;
  const needsRows = [significance?.[0], frequencyMax, zygosity, depthMin, filter, rsId, region].some(Boolean);
  return kind === 'mutation' && needsRows ? { where: rowsWhere(fields) } : alterationLeaf(fields);
}

function alterationLeaf({ gene, kind = 'mutation', protein, classes, fractionMin }: VariantFields): Leaf {
  const codon = protein ? codonOf(protein) : undefined;
  return {
    alteration: {
      ...(gene && { genes: [gene] }),
      kinds: [kind],
      ...(classes?.length && { classes }),
      ...(codon !== undefined
        ? { proteinPositions: { from: codon, to: codon } }
        : protein && { proteinChanges: changeForms(protein) }),
      ...(fractionMin !== undefined && { alleleFractionMin: fractionMin }),
    },
  };
}

/** Terms of the Sequence Ontology by the class of the alteration. */
const consequences: Readonly<Record<string, string[]>> = {
  missense: ['missense_variant'],
  truncating: ['stop_gained', 'frameshift_variant', 'start_lost', 'stop_lost'],
  inframe: ['inframe_insertion', 'inframe_deletion'],
  splice: ['splice_donor_variant', 'splice_acceptor_variant', 'splice_region_variant'],
};

/** Conditions of one row: of calls where depth or filter are asked, of alterations for reads, otherwise of variants. */
function rowsWhere(fields: VariantFields): Where {
  const { region, fractionMin, depthMin, filter } = fields;
  const place = region ? regionOf(region) : undefined;
  if (region && !place) throw new Error('Write a place such as chr7:140753336, or a range of it.');
  const common = {
    ...(place && {
      chromosome: isOneOf([place.chromosome, `chr${place.chromosome}`]),
      position: [{ operator: 'between', value: [place.from, place.to] }],
    }),
    ...(fractionMin !== undefined && { allele_fraction: [{ operator: 'gte', value: fractionMin }] }),
  };
  if (depthMin !== undefined || filter) {
    requireAbsent(
      fields,
      ['gene', 'protein', 'classes', 'rsId', 'significance', 'frequencyMax', 'zygosity'],
      refusedByCall,
    );
    const depth = depthMin !== undefined && { depth: [{ operator: 'gte', value: depthMin }] };
    return { variant_call: { ...common, ...depth, ...(filter && { filter: isOneOf([filter]) }) } };
  }
  if (fractionMin === undefined) return { variant: { ...common, ...variantTests(fields) } };
  requireAbsent(fields, ['rsId', 'frequencyMax', 'zygosity'], refusedByReads);
  const { gene, protein, classes, significance } = fields;
  return {
    alteration: {
      ...common,
      ...(gene && { gene: isOneOf([gene]) }),
      ...(protein && { protein_change: isOneOf(changeForms(protein)) }),
      ...(classes?.length && { class: isOneOf(classes) }),
      ...(significance?.length && { clinical_significance: isOneOf(significance) }),
    },
  };
}

function variantTests(fields: VariantFields): Where {
  const { gene, protein, classes, rsId, significance, frequencyMax, zygosity } = fields;
  if (protein && codonOf(protein) !== undefined) throw new Error(refusedByCodon);
  return {
    ...(gene && { gene: isOneOf([gene]) }),
    ...(protein && { amino_acid_change: isOneOf(changeForms(protein)) }),
    ...(classes?.length && { ebcanon_class: isOneOf(classes.flatMap((one) => consequences[one] ?? [])) }),
    ...(rsId && { rs_id: isOneOf([rsId.trim()]) }),
    ...(significance?.length && { clinical_significance: isOneOf(significance) }),
    ...(frequencyMax !== undefined && {
      population_allele_frequency: [{ operator: 'lte', value: frequencyMax }],
    }),
    ...(zygosity && { genotype: isOneOf(genotypes[zygosity]) }),
  };
}

const refusedByCall = 'Depth and filter are those of a call at a place: leave the other fields empty.';
const refusedByReads =
  'The share of reads is tested without dbSNP, frequency and zygosity: leave these empty.';
const refusedByCodon =
  'A codon is found without dbSNP, significance, frequency, place and zygosity: leave these empty.';

/** Refuses fields that no row holds beside the others: a test of two rows would find other subjects. */
function requireAbsent(fields: VariantFields, names: (keyof VariantFields)[], message: string): void {
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0))
      throw new Error(message);
  }
}

const genotypes = {
  heterozygous: ['0/1', '1/0', '0|1', '1|0', '1/2', '2/1', '1|2', '2|1'],
  homozygous: ['1/1', '1|1', '1', '2/2', '2|2'],
} as const;
