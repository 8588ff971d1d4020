export { SecondFactors, sealedSecondFactors } from './second-factors.ts';
export { newSecret, otpauthUri } from './totp.ts';
