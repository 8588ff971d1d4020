import {
  children,
  compactJson,
  DocumentSplitter,
  InputError,
  isObject,
  type JsonObject,
  type JsonValue,
  resourceBytesMax,
} from '@ploidy/formats/fhir-documents';

/** What a page of a search holds beside its resources. */
export interface PageContent {
  /** Resources by type. */
  counts: Map<string, number>;
  /** Ids of the patients in it, one more than `patientsMax` at most. */
  patients: string[];
  /** Address of the next page, as it stands there. */
  next: string | undefined;
  /** The system says that the page lacks something that was asked for. */
  isPartial: boolean;
}

/** A walk over patients is kept with each of its steps: a page must not bring more. */
export const patientsMax = 100_000;
/** FHIR has them of 64 characters. */
const idCharactersMax = 256;
/** FHIR knows fewer than two hundred. */
const typesMax = 500;
/** Of a resource: one that has them, and as many bytes as it may, takes some hundreds of MiB while it is read. */
const resourceValuesMax = 4_000_000;
const byteOrderMark = [0xef, 0xbb, 0xbf];
const typeName = /^[A-Z][A-Za-z]{1,63}$/;

/** A Bundle as it comes, of which no more than a resource is held. What is none throws `InputError`, `SyntaxError` or `TypeError`. */
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
  /** How much of a byte order mark has come; all of it, too, once it is clear that there is none. */
  #marked = 0;

  /** Answers the resources that have ended, as lines (NDJSON), every number as it was written. */
  push(bytes: Uint8Array): string {
    this.#lines = '';
    this.#splitter.push(this.#withoutMark(bytes));
    return this.#lines;
  }

  /** A byte order mark may come in pieces. */
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
    return {
      counts: this.#counts,
      patients: this.#patients,
      next: nextOf(this.#bundle),
      isPartial: this.#isPartial,
    };
  }

  #take(kind: 'resource' | 'entry', bytes: Uint8Array): void {
    const text = compactJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || this.#bundle) throw noBundle();
    if (kind === 'resource') this.#bundle = value;
    else this.#lines += this.#resourceOf(value, text);
  }

  /** The resource of an entry, if it is one that was found: not what the system says of the search itself. */
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
    // What belongs to him cannot be asked for.
    if (id.length > idCharactersMax) this.#isPartial = true;
    else if (this.#patients.length <= patientsMax) this.#patients.push(id);
  }
}

/** Adds to a count by types. A system that invents types without end must not fill memory with their names: the last count as one. */
export function countType(counts: Map<string, number>, type: string, count: number): void {
  const name = counts.has(type) || counts.size < typesMax ? type : 'Other';
  counts.set(name, (counts.get(name) ?? 0) + count);
}

/** Codes of issues by which something is missing (R4, IssueType); a mere warning may be of anything else. */
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

/** Whether an outcome says that something went wrong, or was left out. Its words may hold health data: they are not told. */
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
