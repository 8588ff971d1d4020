/** FHIR (R4 first; STU3 and R5 where their fields differ): what is where in a source, and what the lake keeps of it. */

export { dateOf, instantOf } from './dates.ts';
export type { Coding, ElementSink } from './elements.ts';
export type { Reading, Value } from './extract.ts';
export {
  type Identity,
  identify,
  isPatch,
  isPutElsewhere,
  readDeletion,
  takenTypes,
  versionOf,
} from './gate.ts';
export {
  type Child,
  children,
  compactJson,
  hasBackslashInKey,
  isObject,
  type JsonObject,
  type JsonValue,
  memberCount,
  parseJson,
  replaceUnstorable,
} from './json.ts';
export { findJsonError, type JsonError } from './json-error.ts';
export { mapResource, patientOf, type RowSink, readElements } from './map-resource.ts';
export { isSubset, modifierOf } from './modifiers.ts';
export { type Layout, recognise, type Unreadable } from './recognise.ts';
export {
  type FullUrls,
  fullUrlKey,
  isId,
  isSeveral,
  noteFullUrl,
  readReference,
  serverOf,
  type Target,
} from './reference.ts';
export { DocumentSplitter, type Piece, resourceBytesMax, TooLargeError } from './splitter.ts';
