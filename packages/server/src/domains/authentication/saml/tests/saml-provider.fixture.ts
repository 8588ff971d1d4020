import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { selfSignedCertificate } from '../encryption/certificate.ts';

/** Key pair with its certificate. */
export interface ProviderKey {
  privateKey: KeyObject;
  certificate: string;
}

export function makeKey(): ProviderKey {
  const pair = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const day = 86_400_000;
  const validity = { from: new Date(Date.now() - day), to: new Date(Date.now() + day) };
  return { ...pair, certificate: selfSignedCertificate(pair, 'Provider', validity) };
}

/** Content of a response: valid values, which tests change. */
export interface ResponseFields {
  id: string;
  issuer: string;
  inResponseTo: string | undefined;
  destination: string;
  recipient: string;
  audience: string;
  nameId: string;
  nameIdFormat: string;
  attributes: Record<string, string | string[]>;
  notBefore: Date;
  notOnOrAfter: Date;
  authenticatedAt: Date;
  sessionNotOnOrAfter: Date | undefined;
  status: string;
}

export const persistent = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
const minuteMs = 60_000;

/** Identity provider of the tests, which can misbehave. */
export class TestProvider {
  readonly entityId = `https://provider.example/${randomBytes(6).toString('hex')}`;
  key = makeKey();
  binding: 'HTTP-Redirect' | 'HTTP-POST' = 'HTTP-Redirect';
  /** Answers requests for the metadata in place of the metadata. */
  answerMetadata: ((response: ServerResponse) => void) | undefined;
  metadataExtra = '';
  fetched = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      if (request.url !== '/metadata') return void response.writeHead(404).end();
      this.fetched += 1;
      if (this.answerMetadata) return this.answerMetadata(response);
      response.end(this.metadata());
    });
  }

  async open(): Promise<this> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return this;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get metadataUrl(): string {
    return `http://127.0.0.1:${this.port}/metadata`;
  }

  metadata(): string {
    const certificate = this.key.certificate.replace(/-----[^-]+-----|\s/g, '');
    return `<?xml version="1.0"?><!-- metadata may hold comments -->
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${this.entityId}" ${this.metadataExtra}>
<md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
<md:KeyDescriptor use="signing"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>
<md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${this.binding}" Location="https://provider.example/sso?tenant=1"/>
</md:IDPSSODescriptor></md:EntityDescriptor>`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((done) => this.#server.close(done));
  }
}

/** Returns the unsigned response. */
export function responseXml(f: ResponseFields): string {
  const inResponseTo = f.inResponseTo === undefined ? '' : ` InResponseTo="${f.inResponseTo}"`;
  const now = new Date().toISOString();
  const session =
    f.sessionNotOnOrAfter === undefined
      ? ''
      : ` SessionNotOnOrAfter="${f.sessionNotOnOrAfter.toISOString()}"`;
  const attributes = Object.entries(f.attributes).map(
    ([name, values]) =>
      `<saml:Attribute Name="${name}">${[values]
        .flat()
        .map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
        .join('')}</saml:Attribute>`,
  );
  return `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_r${f.id}" Version="2.0" IssueInstant="${now}" Destination="${f.destination}"${inResponseTo}><saml:Issuer>${f.issuer}</saml:Issuer><samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:${f.status}"/></samlp:Status><saml:Assertion ID="_a${f.id}" Version="2.0" IssueInstant="${now}"><saml:Issuer>${f.issuer}</saml:Issuer><saml:Subject><saml:NameID Format="${f.nameIdFormat}">${f.nameId}</saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData NotOnOrAfter="${f.notOnOrAfter.toISOString()}" Recipient="${f.recipient}"${inResponseTo}/></saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="${f.notBefore.toISOString()}" NotOnOrAfter="${f.notOnOrAfter.toISOString()}"><saml:AudienceRestriction><saml:Audience>${f.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="${f.authenticatedAt.toISOString()}"${session}><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement></saml:Assertion></samlp:Response>`;
}

/** Returns valid values for a request. */
export function rightFields(
  provider: TestProvider,
  service: string,
  requestId: string,
  nameId = 'person-1',
): ResponseFields {
  return {
    id: randomBytes(16).toString('hex'),
    issuer: provider.entityId,
    inResponseTo: requestId,
    destination: `${service}/v1/saml/acs`,
    recipient: `${service}/v1/saml/acs`,
    audience: `${service}/v1/saml/metadata`,
    nameId,
    nameIdFormat: persistent,
    attributes: {
      mail: `${nameId}@provider.example`,
      givenName: 'Ada',
      sn: 'Lovelace',
      displayName: 'Ada L.',
    },
    notBefore: new Date(Date.now() - minuteMs),
    notOnOrAfter: new Date(Date.now() + 5 * minuteMs),
    authenticatedAt: new Date(),
    sessionNotOnOrAfter: undefined,
    status: 'Success',
  };
}

/** Signs the assertion, or the response, in place. */
export function signed(
  xml: string,
  key: ProviderKey,
  what: 'Assertion' | 'Response' = 'Assertion',
  algorithms = {
    signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
    digest: 'http://www.w3.org/2001/04/xmlenc#sha256',
  },
  canonical = 'http://www.w3.org/2001/10/xml-exc-c14n#',
): string {
  const signature = new SignedXml({
    privateKey: key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicCert: key.certificate,
    signatureAlgorithm: algorithms.signature as never,
    canonicalizationAlgorithm: canonical as never,
  });
  const xpath = what === 'Assertion' ? "//*[local-name(.)='Assertion']" : "/*[local-name(.)='Response']";
  signature.addReference({
    xpath,
    digestAlgorithm: algorithms.digest as never,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', canonical],
  });
  signature.computeSignature(xml, {
    location: { reference: `${xpath}/*[local-name(.)='Issuer']`, action: 'after' },
  });
  return signature.getSignedXml();
}

/** The AuthnRequest of a redirect. */
export function readRedirect(location: string): { xml: string; id: string; relayState: string; url: URL } {
  const url = new URL(location);
  const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLRequest') ?? '', 'base64')).toString();
  const id = /\bID="([^"]+)"/.exec(xml)?.[1] ?? '';
  return { xml, id, relayState: url.searchParams.get('RelayState') ?? '', url };
}

/** Reports whether a program is installed. */
export function has(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
