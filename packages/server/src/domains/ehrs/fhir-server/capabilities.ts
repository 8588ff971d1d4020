import { isObject, type JsonObject, type JsonValue, takenTypes } from '@ploidy/formats/fhir';
import { EhrError } from './ehr-error.ts';
import type { FhirServer } from './fhir-server.ts';
import { readJson } from './read-json.ts';

/** Resource type that the system can search. */
export interface SearchedType {
  name: string;
  /** True if it supports `_lastUpdated` for this type. */
  byTime: boolean;
  /** Search parameter that names a patient: `patient` or `subject`. */
  patientParameter: string | undefined;
  /** True if searches of this type need a patient. */
  needsPatient: boolean;
}

/** Capabilities of an EHR system, from its CapabilityStatement. */
export interface Capabilities {
  /** Patient first. */
  types: SearchedType[];
  /** Path below the base that starts a bulk export of everything or of all patients. */
  exportPath: string | undefined;
  /** Time of the system's clock, if stated. */
  now: number | undefined;
}

const timeoutMs = 120_000;
/** Extension by which servers state combined and required parameters (R4 §5.1). */
const combination =
  'http://hl7.org/fhir/StructureDefinition/capabilitystatement-search-parameter-combination';

/** Reads the capabilities of the system. Throws `EhrError` if they are unusable. */
export async function readCapabilities(server: FhirServer): Promise<Capabilities> {
  const request = { url: 'metadata', bytesMax: Number.POSITIVE_INFINITY, timeoutMs };
  return server.ask(request, [200], async (answer) => {
    const statement = await readJson(answer.body, (max) =>
      notFhir(`its /metadata is larger than ${max} MiB`),
    );
    if (statement === undefined) throw notFhir('its /metadata is no JSON');
    const date = Date.parse(answer.headers['date'] ?? '');
    return { ...understand(statement), now: Number.isNaN(date) ? undefined : date };
  });
}

function understand(statement: JsonValue): Omit<Capabilities, 'now'> {
  if (!isObject(statement) || statement['resourceType'] !== 'CapabilityStatement')
    throw notFhir('its /metadata is no CapabilityStatement');
  const version = String(statement['fhirVersion'] ?? '');
  if (!/^[345]\./.test(version))
    throw notFhir(`it speaks FHIR ${/^\d[\w.-]{0,15}$/.test(version) ? version : 'of no known version'}`);
  const rests = objects(statement['rest']).filter((rest) => (rest['mode'] ?? 'server') === 'server');
  const everywhere = rests.flatMap((rest) => namesOf(rest['searchParam']));
  const resources = rests.flatMap((rest) => objects(rest['resource']));
  const listed = resources.flatMap((resource) => searchedType(resource, everywhere) ?? []);
  // Fetch types listed twice once.
  const types = [...Map.groupBy(listed, ({ name }) => name).values()].flatMap(([first]) => first ?? []);
  types.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1));
  const patient = types[0];
  if (patient?.name !== 'Patient') throw notFhir('it cannot be searched for patients');
  return { types, exportPath: exportPathOf(rests, resources) };
}

const rank = ({ name }: SearchedType): number => (name === 'Patient' ? 0 : 1);

function searchedType(resource: JsonObject, everywhere: string[]): SearchedType | undefined {
  const name = resource['type'];
  if (typeof name !== 'string' || !takenTypes.has(name)) return undefined;
  const interactions = objects(resource['interaction']).map(({ code }) => code);
  if (interactions.length > 0 && !interactions.includes('search-type')) return undefined;
  const parameters = namesOf(resource['searchParam']);
  const patientParameter = ['patient', 'subject'].find((one) => parameters.includes(one));
  const combinations = objects(resource['extension'])
    .filter(({ url }) => url === combination)
    .map(requiredOf);
  return {
    name,
    byTime: [...parameters, ...everywhere].includes('_lastUpdated'),
    patientParameter,
    needsPatient:
      combinations.length > 0 &&
      patientParameter !== undefined &&
      combinations.every((required) => required.includes(patientParameter)),
  };
}

function requiredOf(extension: JsonObject): string[] {
  return objects(extension['extension'])
    .filter(({ url }) => url === 'required')
    .map((one) => String(one['valueString'] ?? ''));
}

/**
 * Finds the operation `export` (Bulk Data Access IG §2): of the system, which can be limited to types, else
 * of all patients.
 */
function exportPathOf(rests: JsonObject[], resources: JsonObject[]): string | undefined {
  const offers = (holder: JsonObject): boolean =>
    namesOf(holder['operation']).some((name) => /^(?:patient-)?\$?export$/.test(name));
  if (rests.some(offers)) return '$export';
  return resources.some((one) => one['type'] === 'Patient' && offers(one)) ? 'Patient/$export' : undefined;
}

function objects(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function namesOf(value: JsonValue | undefined): string[] {
  return objects(value).map(({ name }) => String(name ?? ''));
}

function notFhir(why: string): EhrError {
  return new EhrError('NOT_FHIR', `The EHR system has no FHIR API that can be used: ${why}.`);
}
