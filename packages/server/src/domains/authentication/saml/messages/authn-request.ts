import type { SamlKey } from '../encryption/keys.ts';
import type { Provider } from '../provider-metadata.ts';
import type { ServiceAddresses } from '../service-metadata.ts';

/** Transport of a request by the browser to the identity provider. */
export type Carrier =
  | { kind: 'redirect'; location: string }
  | { kind: 'form'; action: string; fields: Record<string, string> };

interface AuthnRequest {
  id: string;
  relayState: string;
  /** True to require a new authentication. */
  asksAgain: boolean;
}

/** Creates a signed AuthnRequest (SAML V2.0 Core §3.4.1, Bindings §3.4 and §3.5). */
export async function signedRequest(
  request: AuthnRequest,
  to: Provider,
  { from, key }: { from: ServiceAddresses; key: SamlKey },
): Promise<Carrier> {
  const { binding, url } = to.signIn;
  // Loaded at the first sign-in: loading the library takes a twelfth of the start of a service.
  const { SAML } = await import('@node-saml/node-saml');
  const saml = new SAML({
    entryPoint: url,
    issuer: from.entityId,
    callbackUrl: from.acsUrl,
    idpCert: to.certificates,
    privateKey: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicCert: key.certificate,
    signatureAlgorithm: 'sha256',
    digestAlgorithm: 'sha256',
    generateUniqueId: () => request.id,
    forceAuthn: request.asksAgain,
    // The provider chooses the kind of name and of authentication.
    identifierFormat: null,
    disableRequestedAuthnContext: true,
    skipRequestCompression: binding === 'post',
  });
  if (binding === 'redirect')
    return { kind: 'redirect', location: await saml.getAuthorizeUrlAsync(request.relayState, undefined, {}) };
  const message = await saml.getAuthorizeMessageAsync(request.relayState, undefined, {});
  const fields = Object.entries(message).map(([name, value]) => [name, String(value)]);
  return { kind: 'form', action: url, fields: Object.fromEntries(fields) as Record<string, string> };
}
