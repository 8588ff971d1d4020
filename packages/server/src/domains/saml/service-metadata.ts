import { text } from '../setup/index.ts';
import { namespaces } from './xml.ts';

/** Where identity providers find us. The entity ID is the address of our metadata. */
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

/** Our metadata (SAML V2.0 Metadata §2.4.4), with the certificate that signs now and its successor's. */
export function serviceMetadata({ entityId, acsUrl }: ServiceAddresses, certificates: string[]): string {
  const keys = certificates.map(
    (pem) => `    <md:KeyDescriptor use="signing">
      <ds:KeyInfo>
        <ds:X509Data>
          <ds:X509Certificate>${pem.replace(/-----[^-]+-----|\s/g, '')}</ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
`,
  );
  const formats = nameIdFormats.map((one) => `    <md:NameIDFormat>${one}</md:NameIDFormat>\n`);
  return `<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:md="${namespaces.metadata}" xmlns:ds="${namespaces.signature}" entityID="${text(entityId)}">
  <md:SPSSODescriptor protocolSupportEnumeration="${namespaces.protocol}" AuthnRequestsSigned="true" WantAssertionsSigned="true">
${keys.join('')}${formats.join('')}    <md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="${text(acsUrl)}" index="0" isDefault="true"/>
  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}
