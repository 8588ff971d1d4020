import type { CodeableConcept } from './fhir/types.ts';

export const systems = {
  snomed: 'http://snomed.info/sct',
  icd10: 'http://hl7.org/fhir/sid/icd-10-cm',
  loinc: 'http://loinc.org',
  rxnorm: 'http://www.nlm.nih.gov/research/umls/rxnorm',
  ucum: 'http://unitsofmeasure.org',
} as const;

/** Returns a concept with one coding. */
export function concept(system: string, code: string, display: string): CodeableConcept {
  return {
    coding: [{ system, code, display }],
    text: display.replace(/ \((disorder|procedure|situation)\)$/, ''),
  };
}

export const snomed = (code: string, display: string): CodeableConcept =>
  concept(systems.snomed, code, display);
export const loinc = (code: string, display: string): CodeableConcept =>
  concept(systems.loinc, code, display);

/** Returns a code without display and text, as HL7's own status code systems are mostly sent. */
export function status(codeSystem: string, code: string): CodeableConcept {
  return { coding: [{ system: `http://terminology.hl7.org/CodeSystem/${codeSystem}`, code }] };
}

/** A code with its display. */
export type Code = readonly [code: string, display: string];

export interface Disease {
  snomed: Code;
  icd10: Code;
  site?: Code;
  isCancer: boolean;
}

const cancer = (snomedCode: Code, icd10: Code, site: Code): Disease => ({
  snomed: snomedCode,
  icd10,
  site,
  isCancer: true,
});

const other = (snomedCode: Code, icd10: Code): Disease => ({
  snomed: snomedCode,
  icd10,
  isCancer: false,
});

/** Diseases of the stories in SNOMED CT and ICD-10-CM. */
export const diseases = {
  melanoma: cancer(
    ['372244006', 'Malignant melanoma (disorder)'],
    ['C43.9', 'Malignant melanoma of skin, unspecified'],
    ['39937001', 'Skin structure'],
  ),
  lung: cancer(
    ['254626006', 'Adenocarcinoma of lung (disorder)'],
    ['C34.90', 'Malignant neoplasm of unspecified part of unspecified bronchus or lung'],
    ['39607008', 'Lung structure'],
  ),
  breast: cancer(
    ['254837009', 'Malignant neoplasm of breast (disorder)'],
    ['C50.919', 'Malignant neoplasm of unspecified site of unspecified female breast'],
    ['76752008', 'Breast structure'],
  ),
  ovary: cancer(
    ['363443007', 'Malignant tumor of ovary (disorder)'],
    ['C56.9', 'Malignant neoplasm of unspecified ovary'],
    ['15497006', 'Ovarian structure'],
  ),
  colon: cancer(
    ['363406005', 'Malignant tumor of colon (disorder)'],
    ['C18.9', 'Malignant neoplasm of colon, unspecified'],
    ['71854001', 'Colon structure'],
  ),
  leukemia: cancer(
    ['92818009', 'Chronic myeloid leukemia (disorder)'],
    ['C92.10', 'Chronic myeloid leukemia, BCR/ABL-positive, not having achieved remission'],
    ['14016003', 'Bone marrow structure'],
  ),
  polycythemia: cancer(
    ['109992005', 'Polycythemia vera (disorder)'],
    ['D45', 'Polycythemia vera'],
    ['14016003', 'Bone marrow structure'],
  ),
  fibrosis: other(['190905008', 'Cystic fibrosis (disorder)'], ['E84.9', 'Cystic fibrosis, unspecified']),
  hypertension: other(
    ['59621000', 'Essential hypertension (disorder)'],
    ['I10', 'Essential (primary) hypertension'],
  ),
  diabetes: other(
    ['44054006', 'Diabetes mellitus type 2 (disorder)'],
    ['E11.9', 'Type 2 diabetes mellitus without complications'],
  ),
  hemochromatosis: other(
    ['35400008', 'Hereditary hemochromatosis (disorder)'],
    ['E83.110', 'Hereditary hemochromatosis'],
  ),
  thrombosis: other(
    ['128053003', 'Deep venous thrombosis (disorder)'],
    ['I82.409', 'Acute embolism and thrombosis of unspecified deep veins of unspecified lower extremity'],
  ),
  hyperlipidemia: other(['55822004', 'Hyperlipidemia (disorder)'], ['E78.5', 'Hyperlipidemia, unspecified']),
  asthma: other(['195967001', 'Asthma (disorder)'], ['J45.909', 'Unspecified asthma, uncomplicated']),
} satisfies Record<string, Disease>;

export type DiseaseName = keyof typeof diseases;
