import { type Profile, SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { getVerifiedXml, parseDomFromString } from '@node-saml/node-saml/lib/xml.js';

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

/**
 * A response whose assertion is encrypted, as the bytes that were signed with one of the certificates, or `undefined`. The class
 * above would go on and decrypt; this is the function with which it verifies.
 */
export async function verifiedResponse(xml: string, certificates: string[]): Promise<string | undefined> {
  try {
    const { documentElement } = await parseDomFromString(xml);
    return getVerifiedXml(xml, documentElement, certificates) ?? undefined;
  } catch {
    // As with that class: it throws for some signatures that are wrong, with messages that hold what was sent.
    return undefined;
  }
}
