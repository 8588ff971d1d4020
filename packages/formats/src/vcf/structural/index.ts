export { StructuralMapper, type StructuralSettings } from './structural-mapper.ts';
