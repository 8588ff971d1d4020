/** Assemblies of the human genome, by the names of NCBI. hg18, hg19, hg38 and hs1 are UCSC's names of the same assemblies. */
export const genomeBuilds = ['NCBI36', 'GRCh37', 'GRCh38', 'T2T-CHM13v2.0'] as const;

export type GenomeBuild = (typeof genomeBuilds)[number];

/** Chromosomes 1 to 22, X and Y. */
export const nuclearChromosomes: readonly string[] = [
  ...Array.from({ length: 22 }, (_, index) => `chr${index + 1}`),
  'chrX',
  'chrY',
];

/** Lengths of chromosomes 1 to 22, X and Y (assembly reports of NCBI). No two builds share one. */
export const chromosomeLengths: Readonly<Record<GenomeBuild, readonly number[]>> = {
  NCBI36: [
    247249719, 242951149, 199501827, 191273063, 180857866, 170899992, 158821424, 146274826, 140273252,
    135374737, 134452384, 132349534, 114142980, 106368585, 100338915, 88827254, 78774742, 76117153, 63811651,
    62435964, 46944323, 49691432, 154913754, 57772954,
  ],
  GRCh37: [
    249250621, 243199373, 198022430, 191154276, 180915260, 171115067, 159138663, 146364022, 141213431,
    135534747, 135006516, 133851895, 115169878, 107349540, 102531392, 90354753, 81195210, 78077248, 59128983,
    63025520, 48129895, 51304566, 155270560, 59373566,
  ],
  GRCh38: [
    248956422, 242193529, 198295559, 190214555, 181538259, 170805979, 159345973, 145138636, 138394717,
    133797422, 135086622, 133275309, 114364328, 107043718, 101991189, 90338345, 83257441, 80373285, 58617616,
    64444167, 46709983, 50818468, 156040895, 57227415,
  ],
  'T2T-CHM13v2.0': [
    248387328, 242696752, 201105948, 193574945, 182045439, 172126628, 160567428, 146259331, 150617247,
    134758134, 135127769, 133324548, 113566686, 101161492, 99753195, 96330374, 84276897, 80542538, 61707364,
    66210255, 45090682, 51324926, 154259566, 62460029,
  ],
};

/** RefSeq versions of NC_000001 to NC_000024 in GRCh37; those of GRCh38 are each one later (assembly reports of NCBI). */
const versionsOfGrch37 = [
  10, 11, 11, 11, 9, 11, 13, 10, 11, 10, 9, 11, 10, 8, 9, 9, 10, 9, 9, 10, 8, 10, 10, 9,
];
/** Number of chromosome 1 in T2T-CHM13v2.0: NC_060925.1. */
const firstOfT2t = 60925;

/** Chromosome of an accession, and the build of its version if known. */
interface Accession {
  chromosome: string;
  genomeBuild: GenomeBuild | undefined;
}

/** Returns the human chromosome of an accession of RefSeq or GenBank, of any version. */
export function accessionOf(name: string): Accession | undefined {
  return ofRefSeq(name) ?? ofGenBank(name) ?? ofT2t(name);
}

function ofRefSeq(name: string): Accession | undefined {
  const [, digits = '', version = ''] = /^NC_(\d{6})(?:\.(\d{1,3}))?$/i.exec(name) ?? [];
  const number = Number(digits);
  if (number === 12920) return { chromosome: 'chrM', genomeBuild: undefined };
  const isT2t = number >= firstOfT2t;
  const place = isT2t ? number - firstOfT2t : number - 1;
  const chromosome = nuclearChromosomes[place];
  if (chromosome === undefined) return undefined;
  if (isT2t) return { chromosome, genomeBuild: version === '1' ? 'T2T-CHM13v2.0' : undefined };
  const later = Number(version) - (versionsOfGrch37[place] ?? 0);
  return { chromosome, genomeBuild: later === 0 ? 'GRCh37' : later === 1 ? 'GRCh38' : undefined };
}

/** CP068277 to CP068255 are chromosomes 1 to X of T2T-CHM13, CP086569 is Y, CP068254 the mitochondrion (assembly report of GCA_009914755.4). */
function ofT2t(name: string): Accession | undefined {
  const [, digits = '', version = ''] = /^CP(\d{6})(?:\.(\d{1,3}))?$/i.exec(name) ?? [];
  const number = Number(digits);
  if (number === 68254) return { chromosome: 'chrM', genomeBuild: undefined };
  const place = number === 86569 ? 23 : number > 68254 && number <= 68277 ? 68277 - number : -1;
  const chromosome = nuclearChromosomes[place];
  return chromosome === undefined
    ? undefined
    : { chromosome, genomeBuild: version === '2' ? 'T2T-CHM13v2.0' : undefined };
}

/** CM000663 to CM000686 are chromosomes 1 to Y; their version 1 is that of GRCh37, 2 that of GRCh38 (assembly reports of NCBI). */
function ofGenBank(name: string): Accession | undefined {
  if (/^J01415(?:\.2)?$/i.test(name)) return { chromosome: 'chrM', genomeBuild: undefined };
  const [, digits = '', version = ''] = /^CM(\d{6})(?:\.(\d{1,3}))?$/i.exec(name) ?? [];
  const chromosome = nuclearChromosomes[Number(digits) - 663];
  const genomeBuild = version === '1' ? 'GRCh37' : version === '2' ? 'GRCh38' : undefined;
  return chromosome === undefined ? undefined : { chromosome, genomeBuild };
}
