/** Term of an ontology (Phenopackets 2.0, `OntologyClass`). */
export interface Term {
  id: string;
  label?: string;
}

/** Ontology whose terms a phenopacket holds (`Resource`). */
export interface TermSource {
  id: string;
  name: string;
  url: string;
  version: string;
  namespacePrefix: string;
  iriPrefix: string;
}

/** Prefix, name and namespace of code systems, by their address in FHIR. */
const known: Readonly<Record<string, readonly [prefix: string, name: string, iriPrefix: string]>> = {
  'http://snomed.info/sct': ['SNOMEDCT', 'SNOMED CT', 'http://snomed.info/id/'],
  'http://loinc.org': ['LOINC', 'LOINC', 'https://loinc.org/'],
  'http://unitsofmeasure.org': ['UCUM', 'UCUM', 'https://units-of-measurement.org/'],
  'http://www.nlm.nih.gov/research/umls/rxnorm': [
    'RXNORM',
    'RxNorm',
    'http://purl.bioontology.org/ontology/RXNORM/',
  ],
  'http://hl7.org/fhir/sid/icd-10': ['ICD10', 'ICD-10', 'https://icd.who.int/browse10/2019/en#/'],
  'http://hl7.org/fhir/sid/icd-10-cm': ['ICD10CM', 'ICD-10-CM', 'https://icd10cmtool.cdc.gov/?fy=FY2024&q='],
  'http://hl7.org/fhir/sid/icd-9-cm': ['ICD9CM', 'ICD-9-CM', 'http://purl.bioontology.org/ontology/ICD9CM/'],
  'http://human-phenotype-ontology.org': [
    'HP',
    'Human Phenotype Ontology',
    'http://purl.obolibrary.org/obo/HP_',
  ],
  'http://purl.obolibrary.org/obo/hp.owl': [
    'HP',
    'Human Phenotype Ontology',
    'http://purl.obolibrary.org/obo/HP_',
  ],
  'http://purl.obolibrary.org/obo/hp.fhir': [
    'HP',
    'Human Phenotype Ontology',
    'http://purl.obolibrary.org/obo/HP_',
  ],
  'http://purl.obolibrary.org/obo/mondo.owl': [
    'MONDO',
    'Mondo Disease Ontology',
    'http://purl.obolibrary.org/obo/MONDO_',
  ],
  'http://www.orpha.net': ['ORPHA', 'Orphanet', 'https://www.orpha.net/en/disease/detail/'],
  'https://www.omim.org': ['OMIM', 'OMIM', 'https://www.omim.org/entry/'],
  'http://ncicb.nci.nih.gov/xml/owl/EVS/Thesaurus.owl': [
    'NCIT',
    'NCI Thesaurus',
    'http://purl.obolibrary.org/obo/NCIT_',
  ],
};

/** Terms of one phenopacket: collects the ontologies that its metadata must name. */
export class Terms {
  readonly #sources = new Map<string, TermSource>();

  /** Returns the term of a coding; undefined without code or system. */
  of(system: unknown, code: unknown, label?: unknown): Term | undefined {
    if (typeof system !== 'string' || typeof code !== 'string' || system === '' || code === '')
      return undefined;
    const { namespacePrefix } = this.#sourceOf(system);
    const local = code.startsWith(`${namespacePrefix}:`) ? code : `${namespacePrefix}:${code}`;
    return { id: local, ...(typeof label === 'string' && label !== '' && { label }) };
  }

  sources(): TermSource[] {
    return [...this.#sources.values()];
  }

  #sourceOf(system: string): TermSource {
    const found = this.#sources.get(system);
    if (found) return found;
    // A system of a hospital gets a prefix of this document.
    const local = `local${this.#sources.size + 1}`;
    const [namespacePrefix, name, iriPrefix] = known[system] ?? [local, system, `${system}#`];
    const source: TermSource = {
      id: namespacePrefix.toLowerCase(),
      ...{ name, url: system, version: 'unknown', namespacePrefix, iriPrefix },
    };
    this.#sources.set(system, source);
    return source;
  }
}
