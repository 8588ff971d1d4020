/** The text of FHIR documents, without what resources mean: a thread that reads them and nothing else starts in half the time. */
export { InputError } from '../input-error.ts';
export { children, compactJson, isObject, type JsonObject, type JsonValue } from './json.ts';
export { DocumentSplitter, resourceBytesMax, TooLargeError } from './splitter.ts';
