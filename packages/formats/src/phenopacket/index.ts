/** GA4GH Phenopackets 2.0: their code systems, and the FHIR resources of a document. */
export { bundleOf, isPhenopacket, type PhenopacketBundle } from './bundle.ts';
export { type CodeSystem, codeSystems } from './systems.ts';
