export { SecondFactors } from './second-factors.ts';
export { newSecret, otpauthUri } from './totp.ts';
