export type { Holders } from './holders.ts';
export { type NewAddress, type Purpose, purposes, SignedAddresses } from './signed-addresses.ts';
