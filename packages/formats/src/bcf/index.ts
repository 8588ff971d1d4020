export { BcfText, isBcf } from './bcf-text.ts';
export { type BcfHeader, readBcfHeader } from './header.ts';
export { BcfPlaces } from './places.ts';
