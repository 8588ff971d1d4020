export { type CramContainer, readContainer, readCramBlock } from './container.ts';
export { CraiBuilder, CramIndex, type SlicePlace } from './crai.ts';
export { type CramHeader, definitionBytes, endOfCram, isCram, readCramHeader } from './header.ts';
export { ShortCramError } from './numbers.ts';
