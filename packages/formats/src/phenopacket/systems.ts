/** Code system with its prefix in an identifier such as `HP:0001250` (GA4GH Phenopackets 2.0, `Resource`). */
interface CodeSystem {
  /** Address in FHIR. */
  system: string;
  prefix: string;
  name: string;
  iriPrefix: string;
  /** Set if codes hold their prefix in FHIR as well. */
  isPrefixed?: true;
}

const obo = 'http://purl.obolibrary.org/obo';
const hpo = {
  prefix: 'HP',
  name: 'Human Phenotype Ontology',
  iriPrefix: `${obo}/HP_`,
  isPrefixed: true,
} as const;

/** Code systems of clinical data. The first of a prefix is the one that an imported identifier gets. */
export const codeSystems: readonly CodeSystem[] = [
  {
    system: 'http://snomed.info/sct',
    prefix: 'SNOMEDCT',
    name: 'SNOMED CT',
    iriPrefix: 'http://snomed.info/id/',
  },
  { system: 'http://loinc.org', prefix: 'LOINC', name: 'LOINC', iriPrefix: 'https://loinc.org/' },
  {
    system: 'http://unitsofmeasure.org',
    prefix: 'UCUM',
    name: 'UCUM',
    iriPrefix: 'https://units-of-measurement.org/',
  },
  {
    system: 'http://www.nlm.nih.gov/research/umls/rxnorm',
    prefix: 'RXNORM',
    name: 'RxNorm',
    iriPrefix: 'http://purl.bioontology.org/ontology/RXNORM/',
  },
  {
    system: 'http://hl7.org/fhir/sid/icd-10',
    prefix: 'ICD10',
    name: 'ICD-10',
    iriPrefix: 'https://icd.who.int/browse10/2019/en#/',
  },
  {
    system: 'http://hl7.org/fhir/sid/icd-10-cm',
    prefix: 'ICD10CM',
    name: 'ICD-10-CM',
    iriPrefix: 'https://icd10cmtool.cdc.gov/?fy=FY2024&q=',
  },
  {
    system: 'http://hl7.org/fhir/sid/icd-9-cm',
    prefix: 'ICD9CM',
    name: 'ICD-9-CM',
    iriPrefix: 'http://purl.bioontology.org/ontology/ICD9CM/',
  },
  { system: 'http://human-phenotype-ontology.org', ...hpo },
  { system: `${obo}/hp.owl`, ...hpo },
  { system: `${obo}/hp.fhir`, ...hpo },
  {
    system: `${obo}/mondo.owl`,
    prefix: 'MONDO',
    name: 'Mondo Disease Ontology',
    iriPrefix: `${obo}/MONDO_`,
    isPrefixed: true,
  },
  {
    system: 'http://www.orpha.net',
    prefix: 'ORPHA',
    name: 'Orphanet',
    iriPrefix: 'https://www.orpha.net/en/disease/detail/',
  },
  {
    system: 'https://www.omim.org',
    prefix: 'OMIM',
    name: 'OMIM',
    iriPrefix: 'https://www.omim.org/entry/',
  },
  {
    system: 'http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl',
    prefix: 'NCIT',
    name: 'NCI Thesaurus',
    iriPrefix: `${obo}/NCIT_`,
  },
];
