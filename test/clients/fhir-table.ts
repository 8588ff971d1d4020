/**
 * Clients of FHIR by others that were tried, with their versions, and how each works unmodified: the guide for analysts lists
 * them, `fhir.stress.test.ts` runs them. `key`: an API key as Bearer; `service`: a client with `jwks` and `system/*.rs`.
 */
export const fhirClients = {
  hapi: ['HAPI FHIR (Java) 8.10.1', 'key'],
  fhirpy: ['fhirpy 2.3.1', 'key'],
  pythonSmart: ['fhirclient (Python) 4.4.0', 'key'],
  kit: ['fhir-kit-client 2.0.3', 'key'],
  scriptSmart: ['fhirclient (JavaScript) 2.6.3', 'key'],
  smartFetch: ['smart-fetch 1.0.3', 'service, `--no-default-filters`'],
  pathling: ['Pathling 9.4.0', 'service, Java 21'],
  xml: ['fhircrackr, XML alone', 'no: 406'],
} as const satisfies Record<string, readonly [client: string, unmodified: string]>;
