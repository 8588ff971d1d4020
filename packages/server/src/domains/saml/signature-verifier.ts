import { type Profile, SAML, ValidateInResponseTo } from '@node-saml/node-saml';

/** Verifies signatures and nothing else: what an assertion says is checked in assertion.ts, more strictly than the library does. */
export class SignatureVerifier extends SAML {
  assertionXml: string | undefined;

  /** `isSigned`: whether the response as a whole has to be signed, beside its assertion. */
  constructor(certificates: string[], isSigned: boolean) {
    super({
      idpCert: certificates,
      wantAssertionsSigned: true,
      wantAuthnResponseSigned: isSigned,
      validateInResponseTo: ValidateInResponseTo.never,
      issuer: 'unused',
      callbackUrl: 'unused',
    });
  }

  protected override async processValidlySignedAssertionAsync(
    this: SignatureVerifier,
    signedXml: string,
  ): Promise<{ profile: Profile; loggedOut: boolean }> {
    this.assertionXml = signedXml;
    return { profile: {} as Profile, loggedOut: false };
  }
}
