export { Annotator, type Consequence } from './annotator.ts';
export { GeneModels } from './gene-models.ts';
export type { Change } from './region.ts';
export type { Bases, Genome } from './spliced.ts';
export { PlacedTranscripts, readTranscript, startOf, writeTranscript } from './transcript.ts';
