import type { SmallGenome } from '../../../../samples/generator/small-genome.ts';
import { Annotator } from './annotator.ts';
import { GeneModels } from './gene-models.ts';
import type { Change } from './region.ts';
import type { Bases } from './spliced.ts';
import { PlacedTranscripts, type Transcript } from './transcript.ts';

/** Transcripts of a GFF3. */
export function transcriptsOf(gff3: string): Transcript[] {
  const found: Transcript[] = [];
  const models = new GeneModels((transcript) => found.push(transcript));
  for (const line of gff3.split('\n')) {
    if (line === '###') models.end();
    else if (line !== '' && !line.startsWith('#')) {
      const fault = models.take(line.split('\t'));
      if (fault !== undefined) throw new Error(fault);
    }
  }
  models.end();
  return found;
}

/** Bases of one sequence. */
export const basesOf = (text: string): Bases => ({ read: (_, start, end) => text.slice(start - 1, end) });

/** Annotator of a generated genome. */
export function annotatorOf({ bases, gff3 }: Pick<SmallGenome, 'bases' | 'gff3'>): Annotator {
  const placed = new PlacedTranscripts(transcriptsOf(gff3));
  return new Annotator({ bases: basesOf(bases), transcripts: () => placed });
}

/** Cuts the common ends of two alleles, the end first. */
export function changeOf(chromosome: string, position: number, reference: string, alternate: string): Change {
  let cut = 0;
  const shortest = Math.min(reference.length, alternate.length);
  while (cut < shortest && reference.at(-1 - cut) === alternate.at(-1 - cut)) cut += 1;
  const removed = reference.slice(0, reference.length - cut);
  const added = alternate.slice(0, alternate.length - cut);
  let at = 0;
  while (at < removed.length && at < added.length && removed[at] === added[at]) at += 1;
  return { chromosome, position: position + at, removed: removed.slice(at), added: added.slice(at) };
}
