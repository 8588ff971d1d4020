export type { Holders } from './holders.ts';
export { type Purpose, purposes, SignedAddresses } from './signed-addresses.ts';
