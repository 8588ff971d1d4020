import { tables } from '../tables/index.ts';
import { type ElementSink, ElementWalk } from './elements.ts';
import { object, objects, type Reading, reference, target, typeSaid, type Value } from './extract.ts';
import type { Identity } from './gate.ts';
import type { JsonObject } from './json.ts';
import { allergyMap } from './maps/allergy.ts';
import { conditionMap } from './maps/condition.ts';
import { dosageMap, dosagesOf } from './maps/dosage.ts';
import { encounterMap } from './maps/encounter.ts';
import { familyHistoryMap } from './maps/family-history.ts';
import { immunizationMap } from './maps/immunization.ts';
import { mediaMap } from './maps/media.ts';
import { definitionExtracts, medicationMap, medicationReference } from './maps/medication.ts';
import { componentRow, observationMap } from './maps/observation.ts';
import { demographicMap, patientMap } from './maps/patient.ts';
import { procedureMap } from './maps/procedure.ts';
import { sampleNames, sequenceMap, specimenMap } from './maps/specimen.ts';
import { groupedLists, readRow, type TableMap } from './maps/table-map.ts';

/** Receives the rows of a resource. They have the columns of the table catalogue in that order, without `data`. */
export interface RowSink {
  row(table: string, values: Value[]): void;
  /** A name under which a sample of this patient may be in an omic file. */
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

/** Maps a type whose resources become one row of one table. */
function simple(map: TableMap): Mapper {
  return ({ resource, identity, patientId, reading, sink }) => {
    sink.row(map.table.name, readRow(map, [patientId, identity.id], resource, reading));
  };
}

/** Maps a type of which each element of `rowsOf` becomes a row; a resource without elements has one, without an index. */
function perElement(map: TableMap): Mapper {
  const { name, rowsOf = '' } = map.table;
  return ({ resource, identity, patientId, reading, sink }) => {
    const elements = objects(resource, rowsOf, reading);
    const rows = elements.length > 0 ? elements : [undefined];
    for (const [index, element] of rows.entries()) {
      const row = readRow(map, [patientId, identity.id], { ...resource, [rowsOf]: element }, reading);
      row[map.indexPosition] = element && index;
      sink.row(name, row);
    }
  };
}

const observationRow = simple(observationMap);

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
};

const patient: Mapper = ({ resource, identity, reading, sink }) => {
  sink.row('patient', readRow(patientMap, [identity.id], resource, reading));
  sink.row('demographic', readRow(demographicMap, [identity.id], resource, reading));
};

const medication: Mapper = ({ resource, identity, patientId, reading, sink }) => {
  const elsewhere = medicationReference(resource, reading);
  if (elsewhere) sink.medicationOf(elsewhere.id);
  sink.row('medication', readRow(medicationMap, [patientId, identity.id], resource, reading));
  const items = dosagesOf(resource, reading);
  for (const [index, item] of items.entries()) {
    const row = readRow(dosageMap, [patientId, identity.id], item, reading);
    row[dosageMap.indexPosition] = index;
    sink.row('dosage', row);
  }
};

const specimenRow = simple(specimenMap);

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

/** A Medication has no row of its own: it names the substance of the resources that refer to it. */
const medicationDefinition: Mapper = ({ resource, reading, sink }) => {
  sink.medication(definitionExtracts.map((extract) => extract(resource, reading)));
};

const mappers: Record<string, Mapper> = {
  AllergyIntolerance: simple(allergyMap),
  Encounter: simple(encounterMap),
  FamilyMemberHistory: perElement(familyHistoryMap),
  Immunization: simple(immunizationMap),
  Condition: simple(conditionMap),
  Media: simple(mediaMap),
  Medication: medicationDefinition,
  MedicationAdministration: medication,
  MedicationDispense: medication,
  MedicationRequest: medication,
  MedicationStatement: medication,
  MolecularSequence: sequence,
  Observation: observation,
  Patient: patient,
  Procedure: simple(procedureMap),
  Sequence: sequence,
  Specimen: specimen,
};

/** Lists of which columns have one element, by type. Groups of columns report theirs themselves. */
const chosenFrom = new Map<string, Set<string>>();
for (const { fhirTypes, codings, rowsOf } of tables.values())
  for (const type of fhirTypes) {
    const lists = chosenFrom.get(type) ?? new Set();
    const paths = Object.values(codings).flat();
    const ofComponents = type === 'Observation' ? paths.map((path) => `component.${path}`) : [];
    for (const path of [...paths, ...ofComponents])
      for (let end = path.length; end > 0; end = path.lastIndexOf('.', end - 1))
        lists.add(path.slice(0, end));
    for (const list of [...groupedLists, rowsOf ?? '']) lists.delete(list);
    chosenFrom.set(type, lists);
  }
const walk = new ElementWalk(chosenFrom);

/** Hands all codings of a resource to `sink`, and how many elements are in no column. Returns whether it is nested too deeply. */
export function readElements(resource: JsonObject, type: string, sink: ElementSink): boolean {
  return walk.walk(resource, type, sink);
}
