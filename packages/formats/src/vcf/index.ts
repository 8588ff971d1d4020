export * from './annotations.ts';
export * from './chromosomes.ts';
export * from './clinical.ts';
export * from './effects.ts';
export * from './frequencies.ts';
export * from './header.ts';
export * from './recognise.ts';
export * from './record.ts';
