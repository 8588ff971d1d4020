import { EhrError, isRefusal } from '../fhir-server/ehr-error.ts';

const codes = new Set(['EXPORT_UNUSABLE', 'ELSEWHERE', 'UNUSABLE', 'REDIRECTED']);

/** Reports whether a search may succeed where the export failed. */
export function isExportFailure(error: unknown): error is EhrError {
  if (!(error instanceof EhrError)) return false;
  const { status, code } = error;
  // Systems report a failed export with 500 (Bulk Data Access, "Response - Error Status").
  return status === 500 || codes.has(code) || isRefusal(error);
}

/** Describes a failed export in a sentence for users. */
export function exportFailureMessage({ code, message, status }: EhrError): string {
  if (code === 'EXPORT_UNUSABLE' || code === 'UNUSABLE') return message;
  const where =
    code === 'REDIRECTED' ? 'it redirects, which is not followed' : 'its files are where no key is sent';
  const reason = status === undefined ? where : `status ${status}`;
  return `The EHR system offers a bulk export, but it failed (${reason}).`;
}
