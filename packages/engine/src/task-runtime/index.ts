export { BackgroundSync } from './background-sync.ts';
export { type Seal, sealFile, sealGrowing } from './digest.ts';
export { hasCode } from './error-code.ts';
export { genomeRanges } from './genome-ranges.ts';
export { identifier, literal } from './quote.ts';
