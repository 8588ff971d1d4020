import type { ReadTable, Row } from './statements.ts';
import { type Term, type TermSource, Terms } from './terms.ts';

/** Phenopacket of a subject in JSON (GA4GH Phenopackets 2.0). */
export interface Phenopacket {
  id: string;
  subject: object;
  phenotypicFeatures: object[];
  measurements: object[];
  biosamples: object[];
  diseases: object[];
  medicalActions: object[];
  metaData: {
    created: string;
    createdBy: string;
    resources: TermSource[];
    phenopacketSchemaVersion: '2.0';
  };
}

/** Builds the phenopacket of a subject from the rows of the tables. Concepts without a code are left out. */
export function phenopacketOf(
  subject: string,
  rows: Readonly<Record<ReadTable, Row[]>>,
  created: string,
): Phenopacket {
  const terms = new Terms();
  const conditions = rows.condition.flatMap((row) => conditionOf(row, terms));
  const observed = rows.observation.flatMap((row) => featureOf(row, terms));
  const features = conditions.filter(({ term }) => isFeature(term));
  const parts = {
    phenotypicFeatures: [...features.map(({ term, ...rest }) => ({ type: term, ...rest })), ...observed],
    measurements: rows.observation.flatMap((row) => measurementOf(row, terms)),
    biosamples: rows.specimen.map((row) => biosampleOf(row, subject, terms)),
    diseases: conditions.filter(({ term }) => !isFeature(term)),
    medicalActions: [
      ...rows.procedure.flatMap((row) => procedureOf(row, terms)),
      ...rows.medication.flatMap((row) => treatmentOf(row, terms)),
    ],
  };
  return {
    id: subject,
    subject: individualOf(subject, rows.demographic[0] ?? {}),
    ...parts,
    metaData: {
      ...{ created, createdBy: 'Ploidy', resources: terms.sources() },
      phenopacketSchemaVersion: '2.0',
    },
  };
}

const isFeature = ({ id }: Term): boolean => id.startsWith('HP:');

const sexes: Readonly<Record<string, string>> = { female: 'FEMALE', male: 'MALE', other: 'OTHER_SEX' };

function individualOf(id: string, row: Row): object {
  const birth = timeOf(row['birth_date']);
  const death = momentOf('timeOfDeath', row['deceased_date']);
  const isDeceased = row['is_deceased'] === true || row['deceased_date'] != null;
  return {
    id,
    ...(birth !== undefined && { dateOfBirth: birth }),
    sex: sexes[String(row['gender'])] ?? 'UNKNOWN_SEX',
    ...(isDeceased && { vitalStatus: { status: 'DECEASED', ...death } }),
  };
}

function conditionOf(row: Row, terms: Terms): { term: Term; excluded?: true }[] {
  const term = terms.of(row['system'], row['code'], row['display'] ?? row['text']);
  if (!term) return [];
  return [
    {
      term,
      ...(row['verification_status'] === 'refuted' && { excluded: true as const }),
      ...momentOf('onset', row['onset_date']),
      ...momentOf('resolution', row['abatement_date']),
    },
  ];
}

/** Reads an observation whose code is a feature: present, or absent if its value is false. */
function featureOf(row: Row, terms: Terms): object[] {
  if (!String(row['code']).startsWith('HP:')) return [];
  const type = terms.of(row['system'], row['code'], row['display']);
  if (!type || !isFeature(type)) return [];
  const excluded = row['value_boolean'] === false && { excluded: true };
  return [{ type, ...excluded, ...momentOf('onset', row['effective_date']) }];
}

/** Reads an observation with an exact number or a coded value. */
function measurementOf(row: Row, terms: Terms): object[] {
  const code = String(row['code']);
  if (code.startsWith('HP:')) return [];
  const value = quantityOf(row, terms) ?? codedOf(row, terms);
  const assay = value && terms.of(row['system'], code, row['display']);
  return assay ? [{ assay, value, ...momentOf('timeObserved', row['effective_date']) }] : [];
}

const ucum = 'http://unitsofmeasure.org';

function quantityOf(row: Row, terms: Terms): object | undefined {
  const value = row['value_quantity'];
  if (typeof value !== 'number' || row['value_comparator'] != null) return undefined;
  // The code of UCUM for numbers without a unit.
  const unit = terms.of(ucum, row['value_unit'] ?? '1', row['value_unit'] ?? 'no unit');
  const [low, high] = [row['reference_low'], row['reference_high']];
  const hasRange = typeof low === 'number' && typeof high === 'number';
  return { quantity: { unit, value, ...(hasRange && { referenceRange: { unit, low, high } }) } };
}

function codedOf(row: Row, terms: Terms): object | undefined {
  const term = terms.of(
    row['value_codeable_concept_system'],
    row['value_codeable_concept_code'],
    row['value_codeable_concept_display'],
  );
  return term && { ontologyClass: term };
}

function biosampleOf(row: Row, individualId: string, terms: Terms): object {
  const sampleType = terms.of(row['type_system'], row['type_code'], row['type_display']);
  return {
    id: String(row['id']),
    individualId,
    ...(sampleType && { sampleType }),
    ...momentOf('timeOfCollection', row['collected_date']),
  };
}

function procedureOf(row: Row, terms: Terms): object[] {
  const code = terms.of(row['system'], row['code'], row['display']);
  return code ? [{ procedure: { code, ...momentOf('performed', row['performed_date']) } }] : [];
}

function treatmentOf(row: Row, terms: Terms): object[] {
  const agent = terms.of(row['system'], row['code'], row['display']);
  return agent ? [{ treatment: { agent } }] : [];
}

function timeOf(date: unknown): string | undefined {
  return typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T00:00:00Z` : undefined;
}

function momentOf(name: string, date: unknown): object {
  const timestamp = timeOf(date);
  return timestamp === undefined ? {} : { [name]: { timestamp } };
}
