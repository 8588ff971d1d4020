export { FastaReader, isFasta, sequencesMax } from './reader.ts';
export * from './reference.ts';
export { readTitle, type SequenceTitle, speciesTerm } from './title.ts';
