/**
 * The demo's question, as SQL and answered by hand: a straight reading of the sample files that shares no code with the service
 * and none with the generator. What the SQL answers over the ingested project has to equal this, row by row.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** Asks for patients with a condition and a pathogenic variant in a gene, and for their treatment. */
export const demoQuestion = {
  condition: { code: '372244006', display: 'Malignant melanoma (disorder)' },
  gene: 'BRAF',
  significances: ['Pathogenic', 'Pathogenic/Likely_pathogenic', 'Likely_pathogenic'],
} as const;

export const demoSql = `SELECT DISTINCT
  patient.patient_id,
  condition.display AS condition,
  variant.gene,
  variant.amino_acid_change,
  variant.clinical_significance,
  medication.display AS medication
FROM patient
JOIN condition ON condition.patient_id = patient.patient_id
JOIN sequence ON sequence.patient_id = patient.patient_id
JOIN variant ON variant.sample_id = sequence.id
JOIN medication ON medication.patient_id = patient.patient_id AND medication.reason_code = condition.code
WHERE condition.code = '${demoQuestion.condition.code}'
  AND condition.verification_status = 'confirmed'
  AND variant.gene = '${demoQuestion.gene}'
  AND variant.clinical_significance IN (${demoQuestion.significances.map((text) => `'${text}'`).join(', ')})
  AND medication.status IN ('active', 'completed')
ORDER BY patient.patient_id, variant.amino_acid_change, medication.display`;

export interface DemoRow {
  patient_id: string;
  condition: string;
  gene: string;
  amino_acid_change: string;
  clinical_significance: string;
  medication: string;
}

interface Concept {
  coding: { code: string; display: string }[];
}

/** The elements that the question needs, of whatever resource has them. */
interface Resource {
  resourceType: string;
  id: string;
  status: string;
  subject: { reference: string };
  code: Concept;
  verificationStatus: Concept;
  medicationCodeableConcept: Concept;
  reasonCode: Concept[];
  identifier?: { value: string }[];
  entry: { resource: Resource }[];
}

function textsOf(folder: string): [name: string, text: string][] {
  return readdirSync(folder).map((name) => {
    const bytes = readFileSync(join(folder, name));
    return [name, (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()];
  });
}

function resourcesOf(folder: string): Resource[] {
  return textsOf(join(folder, 'fhir')).flatMap(([name, text]) => {
    if (!name.includes('.ndjson'))
      return (JSON.parse(text) as Resource).entry.map(({ resource }) => resource);
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Resource]));
  });
}

const patientOf = ({ subject }: Resource): string => subject.reference.replace('Patient/', '');

interface Carried {
  sample: string;
  change: string;
  significance: string;
}

const impactRank = ['HIGH', 'MODERATE', 'LOW', 'MODIFIER'];

/** HGVS.p of the entry that speaks for the gene: protein-coding before others, then by impact, then the first. */
function changeOf(annotations: string, alternate: string, gene: string): string | undefined {
  const entries = annotations
    .split(',')
    .map((entry) => entry.split('|'))
    .filter((fields) => fields[0] === alternate && fields[3] === gene);
  const coding = entries.filter((fields) => fields[7] === 'protein_coding');
  const candidates = coding.length > 0 ? coding : entries;
  const ranks = candidates.map((fields) => impactRank.indexOf(fields[2] ?? ''));
  return candidates[ranks.indexOf(Math.min(...ranks))]?.[10];
}

function carriedIn(text: string): Carried[] {
  const found: Carried[] = [];
  let samples: string[] = [];
  for (const line of text.split('\n')) {
    const fields = line.split('\t');
    if (line.startsWith('#CHROM')) samples = fields.slice(9);
    if (line.startsWith('#') || line === '') continue;
    const info = new Map((fields[7] ?? '').split(';').map((pair) => pair.split('=', 2) as [string, string]));
    const significances = (info.get('CLNSIG') ?? '').split(',');
    for (const [index, alternate] of (fields[4] ?? '').split(',').entries()) {
      const significance = significances[index] ?? '';
      if (!(demoQuestion.significances as readonly string[]).includes(significance)) continue;
      const change = changeOf(info.get('ANN') ?? '', alternate, demoQuestion.gene);
      if (change === undefined) continue;
      for (const [column, sample] of samples.entries()) {
        const [genotype = ''] = (fields[9 + column] ?? '').split(':');
        if (genotype.split(/[/|]/).includes(String(index + 1))) found.push({ sample, change, significance });
      }
    }
  }
  return found;
}

/** Returns the expected answer of the sample project in this folder: distinct rows, in the order of the SQL. */
export function expectedDemoRows(folder: string): DemoRow[] {
  const resources = resourcesOf(folder);
  const ofType = (type: string): Resource[] => resources.filter(({ resourceType }) => resourceType === type);
  const patients = new Set(ofType('Patient').map(({ id }) => id));
  const sampleOwners = new Map(
    ofType('Specimen').flatMap((specimen) =>
      (specimen.identifier ?? []).map(({ value }) => [value, patientOf(specimen)]),
    ),
  );
  const variants = textsOf(join(folder, 'vcf')).flatMap(([, text]) => carriedIn(text));
  const medications = resources.filter(
    ({ resourceType, status }) =>
      resourceType.startsWith('Medication') && (status === 'active' || status === 'completed'),
  );
  const rows = new Map<string, DemoRow>();
  for (const condition of ofType('Condition')) {
    const [coding] = condition.code.coding;
    const patient = patientOf(condition);
    const isConfirmed = condition.verificationStatus.coding[0]?.code === 'confirmed';
    if (coding?.code !== demoQuestion.condition.code || !isConfirmed || !patients.has(patient)) continue;
    for (const { change, significance } of variants.filter(
      ({ sample }) => sampleOwners.get(sample) === patient,
    )) {
      for (const medication of medications.filter((given) => patientOf(given) === patient)) {
        if (medication.reasonCode[0]?.coding[0]?.code !== coding.code) continue;
        const row: DemoRow = {
          patient_id: patient,
          condition: coding.display,
          gene: demoQuestion.gene,
          amino_acid_change: change,
          clinical_significance: significance,
          medication: medication.medicationCodeableConcept.coding[0]?.display ?? '',
        };
        rows.set(Object.values(row).join('\t'), row);
      }
    }
  }
  return [...rows.values()].sort((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1));
}

const sortKey = (row: DemoRow): string => [row.patient_id, row.amino_acid_change, row.medication].join('\t');
