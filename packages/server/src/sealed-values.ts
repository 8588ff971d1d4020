import { sealedEhrs } from './domains/ehrs/index.ts';
import { sealedSigningKeys } from './domains/keys/index.ts';
import { sealedTokenKeys } from './domains/oauth/index.ts';
import { sealedSamlAnswers, sealedSamlKeys } from './domains/saml/index.ts';
import { sealedSecondFactors } from './domains/second-factor/index.ts';
import { sealedAddresses } from './domains/sign-in/index.ts';
import { sealedAnswers, sealedHeaders } from './http/idempotency.ts';
import type { SealedColumn } from './platform/secrets/index.ts';

/** Every column of the records that holds sealed values. One that is named so and is missing here fails its test. */
export const sealedValues: readonly SealedColumn[] = [
  // First: by these a process that nobody has seen notices the change (changed-key.ts).
  sealedSigningKeys,
  ...sealedEhrs,
  sealedTokenKeys,
  sealedSamlKeys,
  sealedSamlAnswers,
  sealedSecondFactors,
  sealedAddresses,
  sealedAnswers,
  sealedHeaders,
];
