import { type Profile, SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { getVerifiedXml, parseDomFromString } from '@node-saml/node-saml/lib/xml.js';

/** Verifier of signatures only: assertion.ts checks the content, more strictly than the library. */
export class SignatureVerifier extends SAML {
  assertionXml: string | undefined;

  /** `isSigned`: requires a signature of the whole response, besides its assertion. */
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
 * Returns a response with an encrypted assertion as its signed bytes, or `undefined`. The class above would
 * go on to decrypt; this is its verification alone.
 */
export async function verifiedResponse(xml: string, certificates: string[]): Promise<string | undefined> {
  try {
    const { documentElement } = await parseDomFromString(xml);
    return getVerifiedXml(xml, documentElement, certificates) ?? undefined;
  } catch {
    // It throws for some wrong signatures, with messages that contain input.
    return undefined;
  }
}
