/** GA4GH Phenopackets 2.0: their code systems, and the FHIR resources that a document becomes. */
export { bundleOf, isPhenopacket } from './bundle.ts';
export { codeSystems } from './systems.ts';
