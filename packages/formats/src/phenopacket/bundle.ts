import { isId, isObject, type JsonObject, type JsonValue } from '../fhir/index.ts';
import { Elements, objectsOf } from './elements.ts';
import {
  actionOf,
  diagnosisOf,
  diseaseOf,
  featureOf,
  observationOf,
  patientOf,
  specimenOf,
} from './resources.ts';

/** Returns whether a value is a phenopacket, or a family or cohort of them. */
export function isPhenopacket(value: JsonObject): boolean {
  if (value['resourceType'] !== undefined) return false;
  const meta = value['metaData'] ?? value['meta_data'];
  if (isObject(meta) && ('phenopacketSchemaVersion' in meta || 'phenopacket_schema_version' in meta))
    return true;
  const lists = known.flatMap((name) => [
    name,
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  ]);
  return isObject(value['subject']) && lists.some((name) => Array.isArray(value[name]));
}

/** FHIR resources of a document, and its parts without a place in them. */
interface PhenopacketBundle {
  bundle: JsonObject;
  warnings: string[];
  /** Ids of patients, each with the id of its packet. */
  subjects: [patient: string, packet: string][];
}

/**
 * Makes a Bundle of FHIR R4 of a phenopacket, family or cohort (GA4GH Phenopackets 2.0). Answers the reason if the
 * document is refused.
 */
export function bundleOf(document: JsonObject): PhenopacketBundle | string {
  const whole = camelCased(document);
  const meta = isObject(whole['metaData']) ? whole['metaData'] : {};
  const version = meta['phenopacketSchemaVersion'];
  const isFirst =
    membersOfFirst.test(JSON.stringify(whole)) || (version !== undefined && !/^2\b/.test(String(version)));
  if (isFirst)
    return 'only phenopackets of version 2 are read: in version 1 other members say that a feature is absent';
  const leftOut = new Set<string>();
  const entries: JsonObject[] = [];
  const subjects: PhenopacketBundle['subjects'] = [];
  const packets = packetsOf(whole);
  for (const packet of packets) {
    const own = isObject(packet['metaData']) ? packet['metaData'] : meta;
    const elements = new Elements(objectsOf(own['resources']));
    const resources = resourcesOf(packet, elements);
    if (typeof resources === 'string') return resources;
    for (const resource of resources) entries.push({ resource });
    subjects.push([String(resources[0]?.['id']), String(packet['id'] ?? '')]);
    for (const path of elements.leftOut) leftOut.add(path);
  }
  if (packets[0] !== whole)
    for (const name of Object.keys(whole)) if (!partsOfSeveral.has(name)) leftOut.add(name);
  return {
    bundle: { resourceType: 'Bundle', type: 'collection', entry: entries },
    subjects,
    warnings: [
      ...(version === undefined
        ? ['a phenopacket states no phenopacketSchemaVersion; it was read as version 2']
        : []),
      ...(leftOut.size === 0 ? [] : [`of a phenopacket was left out: ${[...leftOut].join(', ')}`]),
    ],
  };
}

/** Members of a family or cohort that are read. */
const partsOfSeveral = new Set(['id', 'metaData', 'proband', 'relatives', 'members']);

/** Members that only version 1 has. */
const membersOfFirst = /"(?:negated|htsFiles|ageAtCollection|ageOfIndividualAtCollection)":/;

/** Members of a packet that are read. */
const known = [
  ...['id', 'subject', 'phenotypicFeatures', 'measurements', 'biosamples', 'diseases', 'medicalActions'],
  ...['interpretations', 'metaData'],
];

function packetsOf(whole: JsonObject): JsonObject[] {
  const { proband, relatives, members } = whole;
  if (isObject(proband)) return [proband, ...objectsOf(relatives)];
  return Array.isArray(members) ? objectsOf(members) : [whole];
}

function resourcesOf(packet: JsonObject, elements: Elements): JsonObject[] | string {
  const { id, subject, ...parts } = elements.object(packet, 'phenopacket', known);
  if (!isObject(subject)) return 'the phenopacket has no subject';
  const patient = idOf(subject['id']);
  if (patient === undefined) return 'the subject of the phenopacket has no id that FHIR could hold';
  const about = { patient, subject: subject['id'], prefix: idOf(id) ?? patient };
  /** Returns the resources of a list of the packet, with the ends of their ids. */
  const each = (
    name: string,
    word: string,
    make: (one: JsonObject, id: string) => JsonObject | undefined,
  ): JsonObject[] =>
    objectsOf(parts[name])
      .map((one, at) => make(one, `${word}${at}`))
      .filter((one) => one !== undefined);
  return [
    patientOf(subject, about, elements),
    ...each('phenotypicFeatures', 'feature', (one, id) => featureOf(one, id, about, elements)),
    ...each('diseases', 'disease', (one, id) => diseaseOf(one, id, about, elements)),
    ...each('interpretations', 'diagnosis', (one, id) => diagnosisOf(one, id, about, elements)),
    ...each('measurements', 'measurement', (one, id) => observationOf(one, id, about, elements)),
    ...each('biosamples', 'biosample', (one, id) => specimenOf(one, id, about, elements)),
    ...each('medicalActions', 'action', (one, id) => actionOf(one, id, about, elements)),
  ];
}

/** Maximum length of the start of an id: the rest must fit into the 255 letters of an id. */
const idMax = 230;

/** Returns an id with its blanks, brackets and the like as `_`; undefined if that is still no id of FHIR. */
function idOf(value: JsonValue | undefined): string | undefined {
  if (typeof value !== 'string' || value.length > idMax) return undefined;
  const id = value.trim().replace(/[ !-,/;-@[-`{-~]/g, '_');
  return isId(id) ? id : undefined;
}

/** Names members as JSON of protocol buffers has them; the names of the schema are read as well. */
function camelCased(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      camelCasedValue(item),
    ]),
  );
}

function camelCasedValue(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((item) => camelCasedValue(item) ?? null);
  return isObject(value) ? camelCased(value) : value;
}
