export { BackgroundSync } from './background-sync.ts';
export { digestFile, digestGrowing, type FileDigest } from './digest.ts';
export { hasCode } from './error-code.ts';
export { genomeRanges } from './genome-ranges.ts';
export { identifier, literal } from './quote.ts';
export { withColumns } from './stored-columns.ts';
