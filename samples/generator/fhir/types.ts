/**
 * The data types of FHIR R4 that the generator writes (https://hl7.org/fhir/R4/datatypes.html), as far as it fills them. The
 * resources themselves are plain objects.
 */
export interface Resource {
  resourceType: string;
  id: string;
  [element: string]: unknown;
}

export interface Coding {
  system: string;
  code: string;
  display?: string;
}

export interface CodeableConcept {
  coding?: Coding[];
  text?: string;
}

export interface Reference {
  reference: string;
}

export interface Quantity {
  value: number;
  unit: string;
  system: string;
  code: string;
}

export interface Extension {
  url: string;
  extension?: Extension[];
  valueCoding?: Coding;
  valueString?: string;
  valueCode?: string;
}

export interface Dosage {
  sequence: number;
  text: string;
  timing: { repeat: { frequency: number; period: number; periodUnit: string }; code: CodeableConcept };
  asNeededBoolean: boolean;
  route: CodeableConcept;
  doseAndRate: { doseQuantity: Quantity; rateQuantity?: Quantity }[];
}
