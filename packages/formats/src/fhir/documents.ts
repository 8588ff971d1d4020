/** Text of FHIR documents, without the meaning of resources: a thread that only reads them starts in half the time. */
export { InputError } from '../input-error.ts';
export {
  children,
  compactJson,
  escapedKey,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  withPlainKeys,
} from './json.ts';
export { DocumentSplitter, resourceBytesMax, TooLargeError } from './splitter.ts';
