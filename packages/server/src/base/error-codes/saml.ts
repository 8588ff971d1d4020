import type { ErrorEntry } from './error-entry.ts';

/** Errors of sign-in by SAML. */
export const samlErrors = {
  SAML_NOT_OFFERED: [400, 'The application has no identity provider', 'Sign in another way'],
  SAML_MALFORMED: [400, 'The response is no SAML', 'Ask the administrator of the identity provider'],
  SAML_METADATA_UNUSABLE: [
    502,
    'The metadata of the identity provider cannot be fetched or read',
    'Check its address; see docs/operate/saml.md',
  ],
  SAML_STATUS: [403, 'The identity provider refused, or the user cancelled', 'Sign in again'],
  SAML_SIGNATURE: [403, 'The signature is not of the known keys', 'Renew the metadata'],
  SAML_UNSIGNED: [403, 'The assertion has no signature', 'Turn signing on at the identity provider'],
  SAML_ALGORITHM: [403, 'The algorithm is not accepted', 'Sign with RSA and SHA-256 or SHA-512'],
  SAML_ENCRYPTED: [
    403,
    'The assertion is encrypted, but no key is published for it',
    'Read `/v1/saml/metadata?encryption=true`',
  ],
  SAML_ISSUER: [403, 'The assertion is of another identity provider', 'Compare the entity ids'],
  SAML_AUDIENCE: [
    403,
    'The assertion is for another audience',
    'Set the entity id of this service as audience',
  ],
  SAML_DESTINATION: [403, 'The response is for another address', 'Set `/v1/saml/acs` of this service'],
  SAML_RECIPIENT: [403, 'The assertion is for another address', 'As for `SAML_DESTINATION`'],
  SAML_IN_RESPONSE_TO: [403, 'The response is of another sign-in', 'Sign in again'],
  SAML_UNSOLICITED: [403, 'No sign-in waits for this response', 'Begin at the application'],
  SAML_OTHER_BROWSER: [403, 'Another browser began this sign-in', 'Begin at the application'],
  SAML_REPLAYED: [403, 'The response was used', 'Sign in again'],
  SAML_EXPIRED: [403, 'The session at the identity provider has ended', 'Sign in again'],
  SAML_NOT_YET_VALID: [403, 'A clock is wrong', 'Set the clocks of both'],
  SAML_NOT_ASKED_AGAIN: [
    403,
    'The identity provider did not authenticate the user anew',
    'Ask the administrator of the identity provider',
  ],
  SAML_NO_EMAIL: [403, 'The assertion has no e-mail address', 'Send it as `mail`, or map another attribute'],
  SAML_INVITATION_NEEDED: [403, 'The user is no member of the account', 'Accept an invitation first'],
} as const satisfies Record<string, ErrorEntry>;
