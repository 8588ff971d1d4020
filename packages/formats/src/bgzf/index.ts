export * from './block.ts';
export * from './virtual-offset.ts';
