import type { Found, Warning } from '@ploidy/engine';
import { Answer } from '../../../api/route.ts';
import { fhirHeaders, issueOf, outcomeText } from './outcome.ts';

/** Ingestion as its caller may see it. */
export interface IngestionReport {
  id: string;
  state: 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';
  progress: { bytes: number; bytesTotal: number };
  waiting?: { position: number };
  warningCount: number;
  warnings: Warning[];
  found?: { tables: Record<string, number> } & Partial<Found>;
  error?: { code: string; message: string; line?: number };
}

/** Seconds after which a client asks again. */
const askAgainS = '2';
/** Names in one issue. */
const namesMax = 50;

/** Answers how far an ingestion is, or its end: what was read, kept and left out, or why nothing was. */
export function ingestionAnswer(report: IngestionReport): Answer {
  const { state, error } = report;
  if (state === 'succeeded') return new Answer(200, outcomeText(issuesOf(report)), fhirHeaders);
  if (state === 'failed' && error) {
    const text = `${placeOf(error.line)}${error.message} Nothing of it is visible.`;
    const issue = { ...issueOf('error', 'processing', text), diagnostics: error.code };
    return new Answer(422, outcomeText([issue]), fhirHeaders);
  }
  if (state === 'failed' || state === 'cancelled') {
    const issue = issueOf('error', 'processing', 'The ingestion was cancelled: nothing of it is visible.');
    return new Answer(422, outcomeText([issue]), fhirHeaders);
  }
  return progressAnswer(report);
}

function progressAnswer({ progress: { bytes, bytesTotal }, waiting }: IngestionReport): Answer {
  const progress = waiting ? `waits, at place ${waiting.position}` : `${bytes} of ${bytesTotal} bytes`;
  const headers = { ...fhirHeaders, 'x-progress': progress, 'retry-after': askAgainS };
  return new Answer(202, outcomeText([issueOf('information', 'informational', progress)]), headers);
}

function issuesOf({ found, warnings, warningCount }: IngestionReport): object[] {
  const { tables = {}, records, read, kept, unread, leftOut = [] } = found ?? {};
  const rows = Object.entries(tables).map(([table, count]) => `${table} ${count}`);
  const resources = records === undefined ? '' : `Resources, with those left out: ${records}. `;
  const said = (words: string, counted: typeof read) =>
    counted && counted.length > 0
      ? [issueOf('information', 'informational', `${words}: ${listOf(counted)}`)]
      : [];
  return [
    issueOf('information', 'informational', `${resources}Rows of each table: ${rows.join(', ') || 'none'}.`),
    ...leftOut.map(({ name, count, line }) =>
      issueOf('warning', 'processing', `Left out: ${count} (${placeOf(line)}${name})`),
    ),
    ...warnings.map(({ line, message }) => issueOf('warning', 'processing', `${placeOf(line)}${message}`)),
    ...(warningCount > warnings.length
      ? [issueOf('warning', 'processing', `Further warnings: ${warningCount - warnings.length}.`)]
      : []),
    ...said('Elements read into columns', read),
    ...said('Elements kept in `data` alone', kept),
    ...said('Elements in no table', unread),
  ];
}

const placeOf = (line: number | undefined): string => (line === undefined ? '' : `Line ${line}: `);

function listOf(counted: readonly { name: string; count: number }[]): string {
  const shown = counted.slice(0, namesMax).map(({ name, count }) => `${name} (${count})`);
  const more = counted.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
}
