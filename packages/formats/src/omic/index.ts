export * from './format.ts';
export { keepDigits } from './given-attributes.ts';
export { missingMafColumns } from './maf/maf.ts';
export * from './recognise.ts';
export { sampleNameOfFile } from './sample-column.ts';
