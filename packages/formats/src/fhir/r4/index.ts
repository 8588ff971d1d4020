/** Release 4 of FHIR, as the FHIR interface serves it: elements, search parameters, and the form of resources. */

export { isR4 } from './conformity.ts';
export { dataType, type Element, type Elements, resourceType, resourceTypes } from './elements.ts';
export {
  type ParameterKind,
  type Place,
  parametersOf,
  type SearchParameter,
} from './parameters.ts';
