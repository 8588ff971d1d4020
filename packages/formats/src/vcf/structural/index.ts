export { StructuralMapper, type StructuralSettings } from './structural-mapper.ts';
export { structuralKeys } from './structural-record.ts';
