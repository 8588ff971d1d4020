import { type KeyObject, X509Certificate } from 'node:crypto';
import { metadataFault } from '../clients/index.ts';
import {
  childrenOf,
  decodeXml,
  everything,
  isNamed,
  namespaces,
  readXml,
  type XmlElement,
  XmlError,
} from './messages/xml.ts';

/** Unusable metadata; the message may be shown to users. */
export class MetadataError extends Error {
  override name = 'MetadataError';
}

/** Identity provider by its metadata. */
export interface Provider {
  entityId: string;
  /** Binding and address of requests. */
  signIn: { binding: 'redirect' | 'post'; url: string };
  /** Signing certificates as PEM. Their dates and issuers have no meaning in SAML; the metadata vouch for them. */
  certificates: string[];
}

/** Max. size of metadata. */
export const metadataBytesMax = 512 * 1024;

/** Each costs a verification of untrusted input. Providers have two during a change, or a few. */
const certificatesMax = 10;
/** Including those of chains. */
const listedMax = 50;

const bindings = 'urn:oasis:names:tc:SAML:2.0:bindings:';
const md = namespaces.metadata;

/** Parses the metadata of one identity provider (SAML V2.0 Metadata §2.4). Throws `MetadataError`. */
export function readProvider(document: Uint8Array, now = Date.now()): Provider {
  try {
    const limits = { bytesMax: metadataBytesMax, allowsComments: true };
    return providerOf(readXml(decodeXml(document), limits), now);
  } catch (error) {
    if (error instanceof XmlError) throw new MetadataError(error.message, { cause: error });
    throw error;
  }
}

function providerOf(root: XmlElement, now: number): Provider {
  const found = [...everything(root)].filter((one) => isNamed(one, md, 'IDPSSODescriptor'));
  const entities = [...everything(root)].filter(
    (one) => isNamed(one, md, 'EntityDescriptor') && childrenOf(one, md, 'IDPSSODescriptor').length > 0,
  );
  const [entity] = entities;
  const descriptor = found.find((one) =>
    (one.attributes.get('protocolSupportEnumeration') ?? '').split(/\s+/).includes(namespaces.protocol),
  );
  if (!entity || !descriptor) throw new MetadataError('it describes no identity provider of SAML 2.0');
  if (entities.length > 1) throw new MetadataError('it describes more than one identity provider');
  for (const one of [root, entity, descriptor]) refuseExpired(one, now);
  const entityId = entity.attributes.get('entityID') ?? '';
  if (entityId === '' || entityId.length > 1024) throw new MetadataError('it has no usable entityID');
  const certificates = certificatesOf(descriptor);
  if (certificates.length === 0)
    throw new MetadataError(
      'it holds no certificate for signatures with an RSA key of 2048 bits or more, and keys of elliptic curves are not supported',
    );
  return { entityId, signIn: signInOf(descriptor), certificates };
}

function refuseExpired({ attributes }: XmlElement, now: number): void {
  const validUntil = attributes.get('validUntil');
  // An unparsable time compares as expired.
  if (validUntil !== undefined && !(Date.parse(validUntil) > now))
    throw new MetadataError('it is no longer valid (validUntil)');
}

/** Returns the sign-in endpoint. Redirect is preferred: it needs no page in between. */
function signInOf(descriptor: XmlElement): Provider['signIn'] {
  const services = childrenOf(descriptor, md, 'SingleSignOnService').map(({ attributes }) => ({
    binding: attributes.get('Binding') ?? '',
    url: attributes.get('Location') ?? '',
  }));
  const choices = [
    ['redirect', 'HTTP-Redirect'],
    ['post', 'HTTP-POST'],
  ] as const;
  for (const [binding, name] of choices) {
    const service = services.find((one) => one.binding === `${bindings}${name}`);
    if (!service) continue;
    if (service.url.length > 2000 || metadataFault(service.url) !== undefined)
      throw new MetadataError('the address of its sign-in does not begin with https://');
    return { binding, url: service.url };
  }
  throw new MetadataError('it offers no sign-in by redirect or POST');
}

/** Lists the usable keys. Throws without one, if one is unreadable. */
function certificatesOf(descriptor: XmlElement): string[] {
  const keys = childrenOf(descriptor, md, 'KeyDescriptor').filter(
    ({ attributes }) => (attributes.get('use') ?? 'signing') === 'signing',
  );
  const unreadable: unknown[] = [];
  const all = keys.flatMap((key) => [...everything(key)]);
  if (all.filter((one) => isNamed(one, namespaces.signature, 'X509Certificate')).length > listedMax)
    throw tooMany();
  const found = all
    .filter((one) => isNamed(one, namespaces.signature, 'X509Data'))
    .flatMap((data) => {
      try {
        return certificatesIn(data);
      } catch (error) {
        unreadable.push(error);
        return [];
      }
    });
  const usable = [...new Set(found.filter(isUsable).map(({ pem }) => pem))];
  if (usable.length > certificatesMax) throw tooMany();
  const [cause] = unreadable;
  if (usable.length === 0 && cause !== undefined)
    throw new MetadataError('one of its certificates cannot be read', { cause });
  return usable;
}

function tooMany(): MetadataError {
  return new MetadataError(
    `it holds too many certificates for signatures: at most ${certificatesMax}, and ${listedMax} with those above them`,
  );
}

interface Certificate {
  certificate: X509Certificate;
  pem: string;
  key: KeyObject;
}

/**
 * Lists the certificates of an element without the issuers of others (XML Signature §4.5.4, in any order),
 * which do not sign for the provider. Throws for an unreadable one: then the chain is unknown.
 */
function certificatesIn(data: XmlElement): Certificate[] {
  const all = childrenOf(data, namespaces.signature, 'X509Certificate').map(({ text }) =>
    readCertificate(text.replace(/\s+/g, '')),
  );
  const issued = (one: Certificate) =>
    all.some((other) => !other.key.equals(one.key) && other.certificate.verify(one.key));
  return all.filter((one) => !issued(one));
}

function isUsable({ key }: Certificate): boolean {
  return key.asymmetricKeyType === 'rsa' && (key.asymmetricKeyDetails?.modulusLength ?? 0) >= 2048;
}

/** Parses a certificate and its key, which may be invalid on its own. */
function readCertificate(base64: string): Certificate {
  const certificate = new X509Certificate(Buffer.from(base64, 'base64'));
  return { certificate, pem: certificate.toString(), key: certificate.publicKey };
}
