import { sealedSigningKeys } from '../../domains/authentication/keys/index.ts';
import { sealedTokenKeys } from '../../domains/authentication/oauth/index.ts';
import { sealedSamlAnswers, sealedSamlKeys } from '../../domains/authentication/saml/index.ts';
import { sealedAddresses } from '../../domains/authentication/sign-in/index.ts';
import { sealedSecondFactors } from '../../domains/authentication/sign-in/second-factor/index.ts';
import { sealedEhrs } from '../../domains/ehrs/index.ts';
import { sealedBuckets } from '../../domains/files/index.ts';
import { sealedWebhooks } from '../../domains/protocols/events/index.ts';
import { sealedAnswers, sealedHeaders } from '../../http/access/idempotency.ts';
import type { SealedColumn } from '../../platform/secrets/index.ts';

/** Columns of the records that hold sealed values. A test compares them with the schema. */
export const sealedValues: readonly SealedColumn[] = [
  // First: a process that missed the change of the key notices it here (changed-key.ts).
  sealedSigningKeys,
  ...sealedEhrs,
  sealedBuckets,
  ...sealedWebhooks,
  sealedTokenKeys,
  sealedSamlKeys,
  sealedSamlAnswers,
  sealedSecondFactors,
  sealedAddresses,
  sealedAnswers,
  sealedHeaders,
];
