import { type KnownSite, knownSites } from '../known-site.ts';
import { randomOf } from '../random.ts';
import { knownGenotype, type Sample } from '../vcf.ts';
import { bamBytes } from './bam.ts';
import { type Call, firstCallOf, type Read, readsOf } from './haplotypes.ts';
import { basesOf, nameOf, type Region, regionsAround } from './region.ts';

const lineLength = 60;

/** Reads of one sample around the well-known variants that it carries, and the bases of the reference there. */
export class SampleReads {
  readonly #seed: number;
  readonly #calls: Call[] = [];
  readonly sample: Sample;
  readonly regions: Region[];
  /** Reads that were written. */
  count = 0;

  constructor(seed: number, sample: Sample) {
    this.#seed = seed;
    this.sample = sample;
    const carries = (site: KnownSite): boolean => /[1-9]/.test(knownGenotype(seed, sample, site));
    this.regions = regionsAround(knownSites.filter(carries));
  }

  /** Passes on the lines of the sample's VCF, whose first sample it is, and keeps the calls of the regions. */
  *seen(lines: Iterable<string>): Generator<string> {
    for (const line of lines) {
      const call = firstCallOf(line);
      if (call && this.regions.some((region) => isIn(region, call))) this.#calls.push(call);
      yield line;
    }
  }

  /** Uncompressed bytes of the BAM, once the lines of the VCF have passed. */
  bam(): Generator<Buffer> {
    return bamBytes(this.sample.name, this.#reads());
  }

  /** Lines of a FASTA with a sequence a region. */
  *fasta(): Generator<string> {
    for (const region of this.regions) {
      yield `>${nameOf(region)} AS:GRCh38 invented bases, except at the sites of the sample project\n`;
      const bases = basesOf(this.#seed, region);
      for (let at = 0; at < bases.length; at += lineLength) yield `${bases.slice(at, at + lineLength)}\n`;
    }
  }

  *#reads(): Generator<Read> {
    for (const region of this.regions) {
      const calls = this.#calls.filter((call) => isIn(region, call));
      const random = randomOf(this.#seed, 'reads', this.sample.name, nameOf(region));
      for (const read of readsOf(region, basesOf(this.#seed, region), calls, random)) {
        this.count += 1;
        yield read;
      }
    }
  }
}

const isIn = ({ chromosome, start, end }: Region, call: Call): boolean =>
  call.chromosome === chromosome && call.position >= start && call.position <= end;
