/** Sources of population frequencies; the order is that of trust for the one global frequency of a variant. */
export const frequencySources = [
  'gnomadJoint',
  'gnomadGenomes',
  'gnomadExomes',
  'gnomad',
  'thousandGenomes',
  'exac',
  'esp',
  'topmed',
  'file',
] as const;

export interface FrequencyField {
  name: string;
  /** Set for the frequency over the whole population of that source. */
  global?: (typeof frequencySources)[number];
  /** Set if the reference's frequency precedes those of the alternates (dbSNP). */
  referenceFirst: boolean;
}

type Rule = [pattern: RegExp, global?: FrequencyField['global'], referenceFirst?: boolean];

/** INFO key in which dbSNP lists its sources since build 152: `1000Genomes:0.99,0.01|GnomAD:0.98,0.02`. */
export const frequencyList = 'FREQ';

const listedSources: ReadonlyMap<string, FrequencyField['global']> = new Map([
  ['gnomad_genomes', 'gnomadGenomes'],
  ['gnomad_exomes', 'gnomadExomes'],
  ['gnomad', 'gnomad'],
  ['1000genomes', 'thousandGenomes'],
  ['1000genomes_30x', 'thousandGenomes'],
  ['exac', 'exac'],
  ['goesp', 'esp'],
  ['topmed', 'topmed'],
]);

/** Returns the source of a name in `FREQ`; undefined for a part of a population. */
export const listedSource = (name: string): FrequencyField['global'] => listedSources.get(name.toLowerCase());

const gnomad: Rule[] = [
  [/^gnomADg(enomes?)?_AF$/i, 'gnomadGenomes'],
  [/^gnomAD_genomes?_AF$/i, 'gnomadGenomes'],
  [/^gnomADe(xomes?)?_AF$/i, 'gnomadExomes'],
  [/^gnomAD_exomes?_AF$/i, 'gnomadExomes'],
  [/^gnomAD_AF$/i, 'gnomad'],
  // A part of the population, or its maximum: `gnomADe_AFR_AF`, `gnomAD2.1_AF_nfe`, `gnomAD_AF_popmax`.
  [/^gnomAD(?!.*pops$)[\w.]{0,64}?_AF(_\w+)?$/i],
];

/** Columns of ANNOVAR's tables: `gnomAD_genome_ALL`, `gnomad41_exome_AF`, `1000g2015aug_eur`, `esp6500siv2_all`. */
const annovar: Rule[] = [
  [/^gnomAD\d*_genome_(ALL|AF)$/i, 'gnomadGenomes'],
  [/^gnomAD\d*_exome_(ALL|AF)$/i, 'gnomadExomes'],
  [/^gnomAD_(genome|exome)_(AFR|AMR|ASJ|EAS|FIN|NFE|OTH|SAS)$/],
  [/^1000g\d{4}[a-z]{3}_all$/, 'thousandGenomes'],
  [/^1000g\d{4}[a-z]{3}_(afr|amr|eas|eur|sas)$/],
  [/^ExAC_ALL$/, 'exac'],
  [/^ExAC_(AFR|AMR|EAS|FIN|NFE|OTH|SAS)$/],
  [/^esp6500(si(v\d)?)?_all$/, 'esp'],
  [/^esp6500(si(v\d)?)?_(aa|ea)$/],
];

const infoRules: Rule[] = [
  ...annovar,
  ...gnomad,
  [/^(AF_TGP|TGP_AF)$/, 'thousandGenomes'],
  [/^CAF$/, 'thousandGenomes', true],
  [/^(AF_EXAC|ExAC_AF)$/i, 'exac'],
  [/^(AF_ESP|ESP_AF)$/, 'esp'],
  [/^TOPMED$/, 'topmed', true],
  [/^FREQ$/, undefined, true],
  [/^(AFR|AMR|ASN|EAS|EUR|SAS|AA|EA)_AF$/],
];

/** Sexes, counts of genotypes that were thrown out, and bounds are no populations, in any file and form. */
const noPopulation =
  /(?:^|[._-])(?:raw|male|female|xx|xy|adj|lower|upper|faf\d*|pops?|hom\w*|nhom\w*|hemi\w*|ac|an|filters?)(?:$|[._-])/i;

/** gnomAD's own file and others that are about a population: `AF`, `AF_afr`, `AF_popmax`, `AF-nfe`. */
const sitesRules: Rule[] = [
  [/^AF_joint$/, 'gnomadJoint'],
  [/^AF_genomes$/, 'gnomadGenomes'],
  [/^AF_exomes$/, 'gnomadExomes'],
  [/^AF$/, 'file'],
  [/^AF[_-](?:(?:joint|genomes|exomes)[_-])?[a-z]{3,9}(?:[_-](?:joint|genomes|exomes))?$/],
];

const annotationRules: Rule[] = [
  ...gnomad,
  [/^AF$/, 'thousandGenomes'],
  [/^ExAC_AF$/i, 'exac'],
  [/^(AFR|AMR|ASN|EAS|EUR|SAS|AA|EA|MAX)_AF$/],
  [/^ExAC_\w+_AF$/i],
  // VEP before 88, each with its allele: `T:0.3`.
  [/^GMAF$/, 'thousandGenomes'],
  [/^(AFR|AMR|ASN|EAS|EUR|SAS|AA|EA)_MAF$/],
  [/^ExAC_MAF$/i, 'exac'],
  [/^ExAC_\w+_MAF$/i],
];

const sources: readonly (readonly [word: RegExp, global: FrequencyField['global']])[] = [
  [/gnomad[\w.]*?(?:genomes?|(?<![a-z])g)(?![a-z])|gnomadg(?:enomes?)?(?![a-z])/, 'gnomadGenomes'],
  [/gnomad[\w.]*?(?:exomes?|(?<![a-z])e)(?![a-z])|gnomade(?:xomes?)?(?![a-z])/, 'gnomadExomes'],
  [/gnomad/, 'gnomad'],
  [/1000 ?g(?:enomes?)?(?:p\d)?|1kgp?|(?<![a-z])[tk]gp(?![a-z])/, 'thousandGenomes'],
  [/exac/, 'exac'],
  [/(?<![a-z])esp(?:6500)?(?![a-z])|goesp/, 'esp'],
  [/topmed/, 'topmed'],
];
const populations =
  /(?:^|[._-])(?:afr|amr|asj|asn|eas|eur|fin|nfe|oth|sas|mid|ami|remaining|aa|ea|pop_?max|grp_?max|max|min)(?:$|[._-])/i;
const ofFrequency = /(?:^|[^a-z])m?a?af(?:$|[^a-z])|gnomad_?m?af|freq/;

/** Reads a frequency by any name: the name or the description names a source of populations and a frequency. */
function byWords(name: string, description: string): FrequencyField | undefined {
  const own = name.toLowerCase();
  const text = description.toLowerCase();
  const isFrequency = ofFrequency.test(own) || /allele frequenc|\baf\b|frequency of/.test(text);
  const source = sources.find(([word]) => word.test(own)) ?? sources.find(([word]) => word.test(text));
  if (source && (isFrequency || (own === 'topmed' && text.includes('freq')))) {
    const isPart =
      populations.test(name) ||
      /\b(?:afric|americ|asian|europ|finnish|ashkenazi|ancestry|max(?:imum|imal)?|popmax|subset)/.test(text);
    return { name, referenceFirst: false, ...(!isPart && source[1] && { global: source[1] }) };
  }
  const isOfPopulation = /^(?:max_)?a?af[._-]/i.test(name) && populations.test(name);
  const isOfAny =
    /^max_aaf_\w+$/i.test(name) ||
    (isFrequency && /population/.test(text) && !/sample|cohort|call/.test(text));
  return isOfPopulation || isOfAny ? { name, referenceFirst: false } : undefined;
}

/**
 * Returns whether an INFO key holds a population frequency. A caller's own `AF` counts the samples of its run, except in a file of
 * annotations (`sitesOnly`).
 */
export function infoFrequency(
  name: string,
  sitesOnly = false,
  { type, description }: { type: string; description: string } = { type: 'Float', description: '' },
): FrequencyField | undefined {
  const known = match(infoRules, name) ?? (sitesOnly ? match(sitesRules, name) : undefined);
  if (known) return known;
  const isOther =
    noPopulation.test(name) ||
    /count|number of|confidence|filtering allele|sex|\bmale|female|raw|\blog|phred/i.test(description);
  return type !== 'Float' || isOther || name.length > nameMax ? undefined : byWords(name, description);
}

/** Returns whether a field of VEP's annotation holds a population frequency. */
export function annotationFrequency(name: string): FrequencyField | undefined {
  return (
    match(annotationRules, name) ??
    (noPopulation.test(name) || name.length > nameMax ? undefined : byWords(name, ''))
  );
}

/** Longer names are no names. */
const nameMax = 100;

function match(rules: Rule[], name: string): FrequencyField | undefined {
  if (noPopulation.test(name)) return undefined;
  const rule = rules.find(([pattern]) => pattern.test(name));
  if (!rule) return undefined;
  const [, global, referenceFirst = false] = rule;
  return global ? { name, global, referenceFirst } : { name, referenceFirst };
}
