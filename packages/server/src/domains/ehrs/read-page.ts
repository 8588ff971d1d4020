import {
  children,
  compactJson,
  DocumentSplitter,
  InputError,
  isObject,
  type JsonObject,
} from '@ploidy/formats';
import { EhrError } from './ehr-error.ts';

/** What a page of a search holds beside its resources. */
export interface PageContent {
  /** Resources by type. */
  counts: Map<string, number>;
  /** Ids of the patients in it. */
  patients: string[];
  /** Address of the next page, as it stands there. */
  next: string | undefined;
}

/** Largest resource. The ingestion takes no larger ones either. */
const resourceBytesMax = 16 * 1024 * 1024;
const typeName = /^[A-Z][A-Za-z]{1,63}$/;

/**
 * Reads a Bundle as it comes and gives its resources as lines (NDJSON), every number as it was written; what else it says is in
 * `content` at the end. Holds no more than a resource. Throws `EhrError` for what is no Bundle of a search.
 */
export async function* readPage(body: AsyncIterable<Buffer>, content: PageContent): AsyncGenerator<string> {
  let lines: string[] = [];
  let bundle: JsonObject | undefined;
  const splitter = new DocumentSplitter(resourceBytesMax, ({ kind, bytes }) => {
    const text = compactJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    const value: unknown = JSON.parse(text);
    if (!isObject(value) || bundle) throw broken();
    if (kind === 'resource') bundle = value;
    else lines.push(...resourceOf(value, text, content));
  });
  for await (const chunk of body) {
    guarded(() => splitter.push(chunk));
    if (lines.length > 0) yield lines.join('');
    lines = [];
  }
  guarded(() => splitter.end());
  if (bundle?.['resourceType'] !== 'Bundle') throw broken();
  content.next = nextOf(bundle);
}

/** The resource of an entry, if it is one that was found: not what the system says of the search itself. */
function resourceOf(entry: JsonObject, text: string, { counts, patients }: PageContent): string[] {
  const { resource, search } = entry;
  if (!isObject(resource) || (isObject(search) && search['mode'] === 'outcome')) return [];
  const type = resource['resourceType'];
  if (typeof type !== 'string' || !typeName.test(type) || type === 'OperationOutcome') return [];
  counts.set(type, (counts.get(type) ?? 0) + 1);
  if (type === 'Patient' && typeof resource['id'] === 'string') patients.push(resource['id']);
  const member = children(text, 0).findLast(({ key }) => key === 'resource');
  return member ? [`${text.slice(member.start, member.end)}\n`] : [];
}

function nextOf(bundle: JsonObject): string | undefined {
  const links = bundle['link'];
  if (!Array.isArray(links)) return undefined;
  const next = links.filter(isObject).find(({ relation }) => relation === 'next');
  return typeof next?.['url'] === 'string' ? next['url'] : undefined;
}

function guarded(work: () => void): void {
  try {
    work();
  } catch (cause) {
    if (cause instanceof InputError || cause instanceof SyntaxError || cause instanceof TypeError)
      throw broken(cause);
    throw cause;
  }
}

/** Proxies and overloaded systems answer with pages that are none; the next time it may be one. */
function broken(cause?: unknown): EhrError {
  const message = 'The EHR system answered a search with something that is no Bundle.';
  return new EhrError('BROKEN_PAGE', message, { cause, isPassing: true });
}
