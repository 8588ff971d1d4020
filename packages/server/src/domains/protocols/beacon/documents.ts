import { version } from '../../../base/version.ts';
import { filteringTerms } from './filters.ts';

/** Version of the standard. */
export const apiVersion = 'v2.0.0';
export const beaconRoot = '/ga4gh/beacon/v2';
/** Name of the only entry type. */
const entryId = 'genomicVariant';
const schemas = 'https://raw.githubusercontent.com/ga4gh-beacon/beacon-v2/main';
const variantSchema = {
  entityType: entryId,
  schema: 'beacon-g_variant-v2.0.0',
};

/** Returns the id of a beacon: its reversed host name, as in package names. */
function beaconId(url: string): string {
  return `${new URL(url).hostname.split('.').toReversed().join('.')}.beacon`;
}

const meta = (url: string) => ({ beaconId: beaconId(url), apiVersion, returnedSchemas: [variantSchema] });

const entryTypes = {
  [entryId]: {
    id: entryId,
    name: 'Genomic variants',
    ontologyTermForThisType: { id: 'ENSGLOSSARY:0000092', label: 'Variant' },
    partOfSpecification: `Beacon ${apiVersion}`,
    description: 'Alleles of the samples of projects',
    defaultSchema: {
      id: variantSchema.schema,
      name: 'Default schema of a genomic variation',
      referenceToSchemaDefinition: `${schemas}/models/json/beacon-v2-default-model/genomicVariations/defaultSchema.json`,
      schemaVersion: apiVersion,
    },
    additionallySupportedSchemas: [],
    nonFilteredQueriesAllowed: false,
  },
};

/** Documents that describe a beacon, by the last part of their addresses. */
export const documents: Readonly<Record<string, (url: string) => object>> = {
  info: (url) => ({
    meta: meta(url),
    response: {
      id: beaconId(url),
      name: 'Beacon',
      apiVersion,
      environment: 'prod',
      organization: { id: 'ploidy', name: 'Ploidy', welcomeUrl: url },
      description: 'Presence and number of alleles in the projects that the caller may read',
      version,
      welcomeUrl: url,
    },
  }),
  'service-info': (url) => ({
    id: beaconId(url),
    name: 'Beacon',
    type: { group: 'org.ga4gh', artifact: 'beacon', version: apiVersion },
    organization: { name: 'Ploidy', url },
    version,
  }),
  map: (url) => ({
    meta: meta(url),
    response: {
      $schema: `${schemas}/framework/json/configuration/beaconMapSchema.json`,
      endpointSets: { [entryId]: { entryType: entryId, rootUrl: `${url}${beaconRoot}/g_variants` } },
    },
  }),
  configuration: (url) => ({
    meta: meta(url),
    response: {
      $schema: `${schemas}/framework/json/configuration/beaconConfigurationSchema.json`,
      maturityAttributes: { productionStatus: 'PROD' },
      securityAttributes: { defaultGranularity: 'boolean', securityLevels: ['REGISTERED', 'CONTROLLED'] },
      entryTypes,
    },
  }),
  entry_types: (url) => ({ meta: meta(url), response: { entryTypes } }),
  filtering_terms: (url) => ({ meta: meta(url), response: filteringTerms }),
};

/** Builds the answer to a search. */
export function answerOf(
  url: string,
  asked: {
    granularity: string;
    parameters: object;
    filters: readonly string[];
    skip: number;
    limit: number;
  },
  found: { count: number; countMax: number },
): object {
  const { granularity, parameters, filters, skip, limit } = asked;
  // Records are never shown.
  const returnedGranularity = granularity === 'boolean' ? 'boolean' : 'count';
  return {
    meta: {
      ...meta(url),
      returnedGranularity,
      receivedRequestSummary: {
        apiVersion,
        requestedSchemas: [variantSchema],
        pagination: { skip, limit },
        requestedGranularity: granularity,
        requestParameters: parameters,
        ...(filters.length > 0 && { filters }),
      },
    },
    responseSummary: {
      exists: found.count > 0,
      ...(returnedGranularity === 'count' && { numTotalResults: found.count }),
    },
    ...(returnedGranularity === 'count' && found.count === found.countMax && { info: { isMinimum: true } }),
  };
}
