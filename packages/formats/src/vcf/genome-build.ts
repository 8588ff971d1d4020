import {
  accessionOf,
  chromosomeLengths,
  type GenomeBuild,
  genomeBuilds,
  nuclearChromosomes,
} from './assemblies.ts';
import { chromosomeName } from './chromosomes.ts';

const buildOfLength: ReadonlyMap<string, GenomeBuild> = new Map(
  genomeBuilds.flatMap((build) =>
    nuclearChromosomes.map((name, index): [string, GenomeBuild] => [
      `${name}:${chromosomeLengths[build][index]}`,
      build,
    ]),
  ),
);

/** Common names, also within paths: `human_g1k_v37.fasta`, `hs37d5`, `Homo_sapiens_assembly38`, `GRCh37.75`. */
const words: readonly [GenomeBuild, RegExp][] = [
  ['NCBI36', /(?<![a-z0-9])(?:ncbi_?36|hg18|b36|build[ _]?36)(?!\d)/i],
  ['GRCh37', /(?<![a-z0-9])(?:grch37|hg19|hs37|b37|g1k_v37|assembly19|build[ _]?37)(?!\d)/i],
  ['GRCh38', /(?<![a-z0-9])(?:grch38|hg38|hs38|b38|assembly38|build[ _]?38)(?!\d)/i],
  ['T2T-CHM13v2.0', /(?<![a-z0-9])(?:t2t[-_]?)?(?:chm13[-_]?v?2(?:\.0)?|hs1)(?![a-z0-9])/i],
];

/** Returns the build in a text; undefined for none or several. */
export function genomeBuildNamed(text: string): GenomeBuild | undefined {
  return only(words.filter(([, pattern]) => pattern.test(text)).map(([build]) => build));
}

/** Returns the build of a MAF's NCBI_Build: `37`, `GRCh38`, `hg19`. */
export function genomeBuildOfMaf(text: string): GenomeBuild | undefined {
  return genomeBuildNamed(/^\d+$/.test(text) ? `b${text}` : text);
}

/**
 * Returns the build of a VCF header: from lengths or RefSeq accessions of contigs, else the name of the reference, else the annotator's
 * command. Lengths and accessions are facts; a name may belong to another file. Undefined without evidence or with contradictions.
 */
export function genomeBuildOfHeader(lines: readonly string[]): GenomeBuild | undefined {
  const { contigs, names, annotators } = claimedBuilds(lines);
  if (contigs.length > 0) return only(contigs);
  return only(names) ?? only(annotators);
}

/** Builds by what in a header claims them: lengths and accessions of contigs, names of the reference, annotators' commands. */
type ClaimedBuilds = Record<'contigs' | 'names' | 'annotators', readonly GenomeBuild[]>;

function claimedBuilds(lines: readonly string[]): ClaimedBuilds {
  const starting = (start: RegExp): string[] => lines.filter((line) => start.test(line));
  const contigs = starting(/^##contig=/i);
  const assemblies = contigs.map((line) => /[<,]\s*assembly\s*=\s*"?([^",>]*)/i.exec(line)?.[1] ?? '');
  const named = [...starting(/^##(?:reference|assembly|genome[-_]build)=/i), ...new Set(assemblies)];
  return {
    contigs: distinct(contigs.map(buildOfContig)),
    names: distinct(named.map(genomeBuildNamed)),
    annotators: distinct(starting(/^##(?:VEP|SnpEffCmd)=/i).map(genomeBuildNamed)),
  };
}

/** Returns the builds that the lines of a header claim where they contradict each other, by what claims them; else undefined. */
export function contradictingBuilds(lines: readonly string[]): string | undefined {
  const { contigs, names, annotators } = claimedBuilds(lines);
  if (distinct([...contigs, ...names, ...annotators]).length < 2) return undefined;
  return Object.entries({ contigs, 'names of the reference': names, annotators })
    .filter(([, builds]) => builds.length > 0)
    .map(([by, builds]) => `${by}: ${builds.toSorted().join(', ')}`)
    .join('; ');
}

function buildOfContig(line: string): GenomeBuild | undefined {
  const id = /[<,]\s*ID\s*=\s*([^,>]*)/i.exec(line)?.[1]?.trim() ?? '';
  const length = /[<,]\s*length\s*=\s*"?(\d+)/i.exec(line)?.[1];
  return buildOfLength.get(`${chromosomeName(id)}:${length}`) ?? accessionOf(id)?.genomeBuild;
}

/** Returns the build of the RefSeq accessions among names of chromosomes; undefined for none or several. */
export function genomeBuildOfAccessions(names: Iterable<string>): GenomeBuild | undefined {
  return only(distinct([...names].map((name) => accessionOf(name)?.genomeBuild)));
}

const distinct = (builds: readonly (GenomeBuild | undefined)[]): GenomeBuild[] => [
  ...new Set(builds.filter((build) => build !== undefined)),
];

function only(builds: readonly GenomeBuild[]): GenomeBuild | undefined {
  return builds.length === 1 ? builds[0] : undefined;
}
