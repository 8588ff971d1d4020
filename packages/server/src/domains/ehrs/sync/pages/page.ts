import {
  children,
  compactJson,
  DocumentSplitter,
  InputError,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  resourceBytesMax,
} from '@ploidy/formats/fhir-documents';
import { countType, type PageContent, patientsMax } from './page-content.ts';

/** FHIR permits 64 characters. */
const idCharactersMax = 256;
/** Maximum values of a resource: with them it needs some hundreds of MiB while parsed. */
const resourceValuesMax = 4_000_000;
const byteOrderMark = [0xef, 0xbb, 0xbf];
const typeName = /^[A-Z][A-Za-z]{1,63}$/;

/**
 * Parser of a Bundle as it arrives, which buffers one resource at most. Throws `InputError`, `SyntaxError` or
 * `TypeError` for other input.
 */
export class Page {
  readonly #splitter = new DocumentSplitter(
    resourceBytesMax,
    ({ kind, bytes }) => this.#take(kind, bytes),
    resourceValuesMax,
  );
  readonly #counts = new Map<string, number>();
  readonly #patients: string[] = [];
  #bundle: JsonObject | undefined;
  #isPartial = false;
  #lines = '';
  /** Matched bytes of a byte order mark; all, once it is known that there is none. */
  #marked = 0;

  /** Returns the complete resources as NDJSON lines, with numbers as written. */
  push(bytes: Uint8Array): string {
    this.#lines = '';
    this.#splitter.push(this.#withoutMark(bytes));
    return this.#lines;
  }

  /** Removes a byte order mark, which may be split over chunks. */
  #withoutMark(bytes: Uint8Array): Uint8Array {
    let at = 0;
    while (at < bytes.length && this.#marked < byteOrderMark.length) {
      if (bytes[at] !== byteOrderMark[this.#marked]) this.#marked = byteOrderMark.length;
      else {
        this.#marked += 1;
        at += 1;
      }
    }
    return bytes.subarray(at);
  }

  end(): PageContent {
    this.#splitter.end();
    if (this.#bundle?.['resourceType'] !== 'Bundle') throw noBundle();
    const { total } = this.#bundle;
    return {
      counts: this.#counts,
      patients: this.#patients,
      next: nextOf(this.#bundle),
      isPartial: this.#isPartial,
      ...(typeof total === 'number' && { total }),
    };
  }

  #take(kind: 'resource' | 'entry', bytes: Uint8Array): void {
    const text = compactJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const value = parseJson(text);
    if (!isObject(value) || this.#bundle) throw noBundle();
    if (kind === 'resource') this.#bundle = value;
    else this.#lines += this.#resourceOf(value, text);
  }

  /** Returns the resource of an entry if it is a search result, not a message about the search. */
  #resourceOf({ resource, search }: JsonObject, text: string): string {
    if (!isObject(resource)) return '';
    const type = resource['resourceType'];
    if (type === 'OperationOutcome') this.#isPartial ||= saysPartial(resource);
    if (typeof type !== 'string' || !typeName.test(type) || type === 'OperationOutcome') return '';
    if (isObject(search) && search['mode'] === 'outcome') return '';
    countType(this.#counts, type, 1);
    if (type === 'Patient') this.#takePatient(resource['id']);
    const member = children(text, 0).findLast(({ key }) => key === 'resource');
    return member ? `${text.slice(member.start, member.end)}\n` : '';
  }

  #takePatient(id: JsonValue | undefined): void {
    if (typeof id !== 'string') return;
    // Data of a patient with such an id cannot be requested.
    if (id.length > idCharactersMax) this.#isPartial = true;
    else if (this.#patients.length <= patientsMax) this.#patients.push(id);
  }
}

/** Issue codes that mean missing data (R4, IssueType); plain warnings may mean anything. */
const missing = new Set([
  'suppressed',
  'incomplete',
  'too-costly',
  'security',
  'forbidden',
  'timeout',
  'throttled',
  'exception',
]);

/** Reports whether an outcome means an error or missing data. Its text may hold health data and is not shown. */
function saysPartial({ issue }: JsonObject): boolean {
  const issues = Array.isArray(issue) ? issue.filter(isObject) : [];
  return issues.some(
    ({ severity, code }) =>
      severity === 'fatal' || severity === 'error' || (severity === 'warning' && missing.has(String(code))),
  );
}

function nextOf(bundle: JsonObject): string | undefined {
  const links = bundle['link'];
  if (!Array.isArray(links)) return undefined;
  const next = links.filter(isObject).find(({ relation }) => relation === 'next');
  return typeof next?.['url'] === 'string' ? next['url'] : undefined;
}

function noBundle(): InputError {
  return new InputError('It is no Bundle of a search.');
}
