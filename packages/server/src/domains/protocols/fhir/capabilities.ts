import { parametersOf, resourceTypes } from '@ploidy/formats/fhir-r4';
import { version } from '../../../base/version.ts';
import type { serverMetadata } from '../../authentication/oauth/index.ts';
import { wayOfWrites } from './outcome.ts';

type AuthorizationServer = ReturnType<typeof serverMetadata>;

/** Describes the interface (CapabilityStatement of R4), from the search parameters that are compared. */
export function capabilityStatement(server: AuthorizationServer, date: string): object {
  return {
    resourceType: 'CapabilityStatement',
    status: 'active',
    date,
    kind: 'instance',
    software: { name: 'Ploidy', version },
    implementation: { description: 'Resources of a project' },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    rest: [
      {
        mode: 'server',
        documentation: `No resource is written alone. ${wayOfWrites}`,
        security: securityOf(server),
        resource: resourceTypes.map(typeOf),
        operation: [bulk('export')],
      },
    ],
  };
}

/** Operation of Bulk Data Access; its name in the address is `$export` at each level. */
const bulk = (name: string): object => ({
  name: 'export',
  definition: `http://hl7.org/fhir/uv/bulkdata/OperationDefinition/${name}`,
});

const operations: Readonly<Record<string, readonly object[]>> = {
  Patient: [
    { name: 'everything', definition: 'http://hl7.org/fhir/OperationDefinition/Patient-everything' },
    bulk('patient-export'),
  ],
  Group: [bulk('group-export')],
};

function typeOf(type: string): object {
  const parameters = [...parametersOf(type).values()];
  const references = parameters.filter(({ kind }) => kind === 'reference');
  return {
    type,
    interaction: ['read', 'vread', 'history-instance', 'search-type'].map((code) => ({ code })),
    versioning: 'no-version',
    // Only current versions are kept.
    readHistory: false,
    ...(references.length > 0 && { searchInclude: references.map(({ name }) => `${type}:${name}`) }),
    searchParam: [
      { name: '_id', type: 'token' },
      ...parameters.map(({ name, kind }) => ({ name, type: kind })),
    ],
    ...(operations[type] && { operation: operations[type] }),
  };
}

/** Addresses of the authorization server, which older clients read here (SMART App Launch 2.2, "Conformance"). */
function securityOf({
  authorization_endpoint,
  token_endpoint,
  revocation_endpoint,
  introspection_endpoint,
}: AuthorizationServer): object {
  const addresses = {
    authorize: authorization_endpoint,
    token: token_endpoint,
    introspect: introspection_endpoint,
    revoke: revocation_endpoint,
  };
  return {
    cors: true,
    service: [
      {
        coding: [
          {
            system: 'http://terminology.hl7.org/CodeSystem/restful-security-service',
            code: 'SMART-on-FHIR',
          },
        ],
      },
    ],
    extension: [
      {
        url: 'http://fhir-registry.smarthealthit.org/StructureDefinition/oauth-uris',
        extension: Object.entries(addresses).map(([url, valueUri]) => ({ url, valueUri })),
      },
    ],
  };
}

/** Describes the sign-in for SMART clients (SMART App Launch 2.2, `.well-known/smart-configuration`). */
export function smartConfiguration(server: AuthorizationServer): object {
  return {
    issuer: server.issuer,
    jwks_uri: server.jwks_uri,
    authorization_endpoint: server.authorization_endpoint,
    token_endpoint: server.token_endpoint,
    revocation_endpoint: server.revocation_endpoint,
    introspection_endpoint: server.introspection_endpoint,
    grant_types_supported: ['authorization_code', 'client_credentials'],
    token_endpoint_auth_methods_supported: server.token_endpoint_auth_methods_supported,
    token_endpoint_auth_signing_alg_values_supported: server.token_endpoint_auth_signing_alg_values_supported,
    scopes_supported: server.scopes_supported,
    response_types_supported: ['code'],
    code_challenge_methods_supported: server.code_challenge_methods_supported,
    capabilities: [
      ...['launch-standalone', 'client-public', 'client-confidential-symmetric'],
      ...['client-confidential-asymmetric', 'sso-openid-connect', 'authorize-post'],
      ...['permission-offline', 'permission-user', 'permission-v1', 'permission-v2'],
      ...['permission-patient', 'context-standalone-patient'],
    ],
  };
}
