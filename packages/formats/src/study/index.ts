export * from './clinical.ts';
export * from './meta.ts';
