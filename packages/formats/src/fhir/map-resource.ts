import { type Coding, eachCoding } from './concept.ts';
import { object, objects, type Reading, reference, target, typeSaid, type Value } from './extract.ts';
import type { Identity } from './gate.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';
import { allergyCodings, allergyMap } from './maps/allergy.ts';
import { conditionCodings, conditionMap } from './maps/condition.ts';
import { dosageIndexPosition, dosageMap, dosagesOf } from './maps/dosage.ts';
import { encounterCodings, encounterMap } from './maps/encounter.ts';
import { immunizationCodings, immunizationMap } from './maps/immunization.ts';
import { mediaCodings, mediaMap } from './maps/media.ts';
import {
  definitionExtracts,
  dosageCodings,
  medicationCodings,
  medicationConcept,
  medicationMap,
  medicationReference,
} from './maps/medication.ts';
import { componentRow, observationCodings, observationMap } from './maps/observation.ts';
import { demographicMap, patientCodings, patientMap } from './maps/patient.ts';
import { procedureCodings, procedureMap } from './maps/procedure.ts';
import { sampleNames, sequenceMap, specimenCodings, specimenMap } from './maps/specimen.ts';
import { readRow, type TableMap } from './maps/table-map.ts';

/** Receives the rows of a resource. They have the columns of the table catalogue in that order, without `data`. */
export interface RowSink {
  row(table: string, values: Value[]): void;
  coding(element: string, coding: Coding): void;
  /** Receives a name that a sample of this patient may have in an omic file. */
  sample(name: string, specimenId: string | undefined): void;
  /** Announces that the next medication row has the concept of this Medication instead of its own. */
  medicationOf(medicationId: string): void;
  /** Code, system, display and text of the concept of a Medication. */
  medication(values: Value[]): void;
}

interface Mapped {
  resource: JsonObject;
  identity: Identity;
  patientId: string | undefined;
  reading: Reading;
  sink: RowSink;
}

type Mapper = (mapped: Mapped) => void;

// R4 §5.3: elements by which a type is in the compartment of a patient.
const patientElements = ['subject', 'patient', 'beneficiary', 'individual', 'for'];
const subject = target(...patientElements);
const subjectObject = object(...patientElements);
const conceptOfMedication = object('code');

/** Returns the patient that a resource is about; undefined without one, or with another kind of subject. */
export function patientOf(resource: JsonObject, identity: Identity, reading: Reading): string | undefined {
  if (identity.type === 'Patient') return identity.id;
  const found = subject(resource, reading);
  if (found) return (found.type ?? 'Patient') === 'Patient' ? found.id : undefined;
  const { reference: name, identifier, type } = subjectObject(resource, reading) ?? {};
  const isNamedOtherwise = typeof name !== 'string' && identifier !== undefined;
  if (typeof name === 'string' && !name.startsWith('#')) {
    reading.unreadable('subject.reference', 'a reference by type and id');
  } else if (isNamedOtherwise && (typeSaid(type) ?? 'Patient') === 'Patient') {
    reading.unreadable('subject', 'a reference by type and id');
  }
  return undefined;
}

/** Passes the rows, codings and sample names of a resource to `sink`. */
export function mapResource(
  resource: JsonObject,
  identity: Identity,
  patientId: string | undefined,
  reading: Reading,
  sink: RowSink,
): void {
  mappers[identity.type]?.({ resource, identity, patientId, reading, sink });
}

function codings(from: JsonValue, paths: readonly Path[], sink: RowSink, prefix = ''): void {
  for (const { name, steps } of paths) {
    // Most are absent.
    if (steps[0] !== undefined && isObject(from) && from[steps[0]] === undefined) continue;
    eachCoding(from, steps, (coding) => sink.coding(prefix + name, coding));
  }
}

interface Path {
  name: string;
  steps: string[];
}

function split(paths: string[]): Path[] {
  return paths.map((name) => ({ name, steps: name.split('.') }));
}

/** Defines a type with one row in one table. */
function simple(map: TableMap, coded: string[]): Mapper {
  const paths = split(coded);
  return ({ resource, identity, patientId, reading, sink }) => {
    sink.row(map.table.name, readRow(map, [patientId, identity.id], resource, reading));
    codings(resource, paths, sink);
  };
}

const observationRow = simple(observationMap, []);
const observationPaths = split(observationCodings);

const observation: Mapper = (mapped) => {
  const { resource, identity, patientId, reading, sink } = mapped;
  if (resource['component'] === undefined) observationRow(mapped);
  else {
    const row = readRow(observationMap, [patientId, identity.id], resource, reading);
    sink.row('observation', row);
    for (const [index, component] of objects(resource, 'component', reading).entries()) {
      sink.row('observation', componentRow(row, component, index, reading));
    }
  }
  codings(resource, observationPaths, sink);
};

const patientPaths = split(patientCodings);

const patient: Mapper = ({ resource, identity, reading, sink }) => {
  sink.row('patient', readRow(patientMap, [identity.id], resource, reading));
  sink.row('demographic', readRow(demographicMap, [identity.id], resource, reading));
  codings(resource, patientPaths, sink);
};

const medicationPaths = split(medicationCodings);
const dosagePaths = split(dosageCodings);
const conceptPaths: Path[] = [{ name: 'medication', steps: [] }];

const medication: Mapper = ({ resource, identity, patientId, reading, sink }) => {
  const elsewhere = medicationReference(resource, reading);
  if (elsewhere) sink.medicationOf(elsewhere.id);
  sink.row('medication', readRow(medicationMap, [patientId, identity.id], resource, reading));
  codings(medicationConcept(resource, reading) ?? null, conceptPaths, sink);
  codings(resource, medicationPaths, sink);
  const { key, items } = dosagesOf(resource, reading);
  for (const [index, item] of items.entries()) {
    const row = readRow(dosageMap, [patientId, identity.id], item, reading);
    row[dosageIndexPosition] = index;
    sink.row('dosage', row);
    codings(item, dosagePaths, sink, `${key}.`);
  }
};

const specimenRow = simple(specimenMap, specimenCodings);

const specimen: Mapper = (mapped) => {
  specimenRow(mapped);
  const { resource, identity, reading, sink } = mapped;
  for (const name of sampleNames(identity.id, resource, reading)) sink.sample(name, identity.id);
};

const specimenId = reference('Specimen', 'specimen');

const sequence: Mapper = ({ resource, identity, patientId, reading, sink }) => {
  sink.row('sequence', readRow(sequenceMap, [patientId, identity.id], resource, reading));
  const taken = specimenId(resource, reading);
  for (const name of sampleNames(identity.id, resource, reading))
    sink.sample(name, typeof taken === 'string' ? taken : undefined);
};

const definitionPaths: Path[] = [{ name: 'code', steps: [] }];

/** A Medication has no row of its own: its codings are joined to the resources that refer to it. */
const medicationDefinition: Mapper = ({ resource, reading, sink }) => {
  sink.medication(definitionExtracts.map((extract) => extract(resource, reading)));
  codings(conceptOfMedication(resource, reading) ?? null, definitionPaths, sink);
};

const mappers: Record<string, Mapper> = {
  AllergyIntolerance: simple(allergyMap, allergyCodings),
  Encounter: simple(encounterMap, encounterCodings),
  Immunization: simple(immunizationMap, immunizationCodings),
  Condition: simple(conditionMap, conditionCodings),
  Media: simple(mediaMap, mediaCodings),
  Medication: medicationDefinition,
  MedicationAdministration: medication,
  MedicationDispense: medication,
  MedicationRequest: medication,
  MedicationStatement: medication,
  MolecularSequence: sequence,
  Observation: observation,
  Patient: patient,
  Procedure: simple(procedureMap, procedureCodings),
  Sequence: sequence,
  Specimen: specimen,
};
