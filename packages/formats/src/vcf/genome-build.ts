import { accessionOf, nuclearChromosomes } from './accessions.ts';
import { chromosomeName } from './chromosomes.ts';

/** Assemblies of the human genome that positions may be on, as NCBI names them. hg18, hg19, hg38 and hs1 are the same in UCSC's names. */
export const genomeBuilds = ['NCBI36', 'GRCh37', 'GRCh38', 'T2T-CHM13v2.0'] as const;

export type GenomeBuild = (typeof genomeBuilds)[number];

/** Bases of chromosomes 1 to 22, X and Y (assembly reports of NCBI). No two builds agree in one. */
const lengths: Readonly<Record<GenomeBuild, readonly number[]>> = {
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

const buildOfLength: ReadonlyMap<string, GenomeBuild> = new Map(
  genomeBuilds.flatMap((build) =>
    nuclearChromosomes.map((name, index): [string, GenomeBuild] => [
      `${name}:${lengths[build][index]}`,
      build,
    ]),
  ),
);

/** How programs and people name them, within paths too: `human_g1k_v37.fasta`, `hs37d5`, `Homo_sapiens_assembly38`, `GRCh37.75`. */
const words: readonly [GenomeBuild, RegExp][] = [
  ['NCBI36', /(?<![a-z0-9])(?:ncbi_?36|hg18|b36|build[ _]?36)(?!\d)/i],
  ['GRCh37', /(?<![a-z0-9])(?:grch37|hg19|hs37|b37|g1k_v37|assembly19|build[ _]?37)(?!\d)/i],
  ['GRCh38', /(?<![a-z0-9])(?:grch38|hg38|hs38|b38|assembly38|build[ _]?38)(?!\d)/i],
  ['T2T-CHM13v2.0', /(?<![a-z0-9])(?:t2t[-_]?)?(?:chm13[-_]?v?2(?:\.0)?|hs1)(?![a-z0-9])/i],
];

/** The only build that a text names; undefined when it names none or several. */
export function genomeBuildNamed(text: string): GenomeBuild | undefined {
  return only(words.filter(([, pattern]) => pattern.test(text)).map(([build]) => build));
}

/** NCBI_Build of a MAF: `37`, `GRCh38`, `hg19`. */
export function genomeBuildOfMaf(text: string): GenomeBuild | undefined {
  return genomeBuildNamed(/^\d+$/.test(text) ? `b${text}` : text);
}

/**
 * The build that the header of a VCF tells: by the lengths or RefSeq accessions of its contigs, else by what it names its reference, else by what
 * annotated it. Lengths and accessions are facts; names may be those of another file. Undefined when nothing tells, or what tells contradicts itself.
 */
export function genomeBuildOfHeader(lines: readonly string[]): GenomeBuild | undefined {
  const starting = (start: RegExp): string[] => lines.filter((line) => start.test(line));
  const contigs = starting(/^##contig=/i);
  const measured = new Set(contigs.map(buildOfContig).filter((build) => build !== undefined));
  if (measured.size > 0) return only([...measured]);
  const assemblies = contigs.map((line) => /[<,]\s*assembly\s*=\s*"?([^",>]*)/i.exec(line)?.[1] ?? '');
  const named = namedIn([...starting(/^##(?:reference|assembly|genome[-_]build)=/i), ...new Set(assemblies)]);
  return named ?? namedIn(starting(/^##(?:VEP|SnpEffCmd)=/i));
}

function buildOfContig(line: string): GenomeBuild | undefined {
  const id = /[<,]\s*ID\s*=\s*([^,>]*)/i.exec(line)?.[1]?.trim() ?? '';
  const length = /[<,]\s*length\s*=\s*"?(\d+)/i.exec(line)?.[1];
  return buildOfLength.get(`${chromosomeName(id)}:${length}`) ?? accessionOf(id)?.genomeBuild;
}

/** The build that RefSeq accessions among names of chromosomes tell; undefined when they tell none, or several. */
export function genomeBuildOfAccessions(names: Iterable<string>): GenomeBuild | undefined {
  const builds = [...names]
    .map((name) => accessionOf(name)?.genomeBuild)
    .filter((build) => build !== undefined);
  return only([...new Set(builds)]);
}

function namedIn(texts: readonly string[]): GenomeBuild | undefined {
  return only([...new Set(texts.map(genomeBuildNamed).filter((build) => build !== undefined))]);
}

function only(builds: readonly GenomeBuild[]): GenomeBuild | undefined {
  return builds.length === 1 ? builds[0] : undefined;
}
