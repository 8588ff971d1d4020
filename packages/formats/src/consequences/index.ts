export { Annotator, type Consequence, type Genome } from './annotator.ts';
export { type GeneModelCounts, GeneModels } from './gene-models.ts';
export type { Change } from './region.ts';
export type { Bases } from './spliced.ts';
export { PlacedTranscripts, readTranscript, type Transcript, writeTranscript } from './transcript.ts';
