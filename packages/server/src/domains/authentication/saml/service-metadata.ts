import { text } from '../setup/index.ts';
import { namespaces } from './messages/xml.ts';

/** Addresses for identity providers. The entity ID is the address of the metadata. */
export interface ServiceAddresses {
  entityId: string;
  acsUrl: string;
}

export function serviceAddresses(publicUrl: string): ServiceAddresses {
  return { entityId: `${publicUrl}/v1/saml/metadata`, acsUrl: `${publicUrl}/v1/saml/acs` };
}

const nameIdFormats = [
  'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
];

/** Published certificates, as PEM. */
interface PublishedCertificates {
  /** Certificates of the current key and its successor. */
  signing: string[];
  /** Certificate for encrypted assertions, on request. */
  encryption?: string;
}

/**
 * Accepted encryption methods, best first (SAML V2.0 Metadata Profile for Algorithm Support §2.4). AES-CBC is
 * accepted in signed responses but not listed: providers that use the list support AES-GCM.
 */
const encryptionMethods = `<md:EncryptionMethod Algorithm="${namespaces.encryption11}aes256-gcm"/>
      <md:EncryptionMethod Algorithm="${namespaces.encryption11}aes128-gcm"/>
      <md:EncryptionMethod Algorithm="${namespaces.encryption}rsa-oaep-mgf1p">
        <ds:DigestMethod Algorithm="${namespaces.signature}sha1"/>
      </md:EncryptionMethod>
      <md:EncryptionMethod Algorithm="${namespaces.encryption11}rsa-oaep">
        <ds:DigestMethod Algorithm="${namespaces.encryption}sha256"/>
        <xenc11:MGF xmlns:xenc11="${namespaces.encryption11}" Algorithm="${namespaces.encryption11}mgf1sha256"/>
      </md:EncryptionMethod>`;

/** Returns the metadata of this service (SAML V2.0 Metadata §2.4.4). */
export function serviceMetadata(
  { entityId, acsUrl }: ServiceAddresses,
  { signing, encryption }: PublishedCertificates,
): string {
  const keys = signing.map((pem) => keyDescriptor('signing', pem));
  if (encryption !== undefined) keys.push(keyDescriptor('encryption', encryption, encryptionMethods));
  const formats = nameIdFormats.map((one) => `    <md:NameIDFormat>${one}</md:NameIDFormat>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${namespaces.metadata}" xmlns:ds="${namespaces.signature}" entityID="${text(entityId)}">
  <md:SPSSODescriptor protocolSupportEnumeration="${namespaces.protocol}" AuthnRequestsSigned="true" WantAssertionsSigned="true">
${keys.join('')}${formats.join('')}    <md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${text(acsUrl)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}

function keyDescriptor(use: string, pem: string, methods = ''): string {
  return `    <md:KeyDescriptor use="${use}">
      <ds:KeyInfo>
        <ds:X509Data>
          <ds:X509Certificate>${pem.replace(/-----[^-]+-----|\s/g, '')}</ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>${methods && `\n      ${methods}`}
    </md:KeyDescriptor>
`;
}
