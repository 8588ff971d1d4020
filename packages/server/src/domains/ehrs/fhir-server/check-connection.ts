import { readCapabilities } from './capabilities.ts';
import { EhrError } from './ehr-error.ts';
import type { FhirServer } from './fhir-server.ts';

/** One step of a test: what works, or why it does not and what to do. */
interface ConnectionCheck {
  name: 'capabilities' | 'patients';
  works: boolean;
  message: string;
  code?: string;
  remedy?: string;
}

/** Time for all steps of a test. */
export const checkMs = 20_000;
/** Size of an answer with one patient. */
const patientBytesMax = 1024 * 1024;

const remedies: Readonly<Record<string, string>> = {
  UNREACHABLE: 'Check apiBaseUrl, and that the network lets the service reach this host.',
  UNUSABLE: 'Check apiBaseUrl. Private addresses need PLOIDY_ALLOW_PRIVATE_HOSTS.',
  UNAUTHORIZED:
    'Enter apiKey and apiSecret again, and compare apiAuthType with the client at the EHR system.',
  NO_TOKEN: 'Compare the id, secret or key and the scopes with the client registered at the EHR system.',
  NOT_FHIR: 'Enter the base of a FHIR API as apiBaseUrl: its /metadata is a CapabilityStatement.',
  REDIRECTED: 'Enter the address that the EHR system redirects to as apiBaseUrl.',
  ELSEWHERE: 'Enter the public address of the EHR system as apiBaseUrl; its links must be at this host.',
  OVERLOADED: 'Try again later.',
  REFUSED: 'Let the client read patients at the EHR system (scope system/*.read).',
  TOO_LONG: 'Try again later. If it remains, ask the operator of the EHR system.',
};

/**
 * Tests an EHR system as a sync would use it: signs in, reads its capabilities, searches for one patient, of
 * whom nothing is kept. Ends with the first step that fails.
 */
export async function checkConnection(server: FhirServer, timeout: AbortSignal): Promise<ConnectionCheck[]> {
  const checks: ConnectionCheck[] = [];
  const check = async (name: ConnectionCheck['name'], look: () => Promise<string>): Promise<boolean> => {
    try {
      checks.push({ name, works: true, message: await look() });
      return true;
    } catch (error) {
      checks.push({ name, works: false, ...failureOf(error, timeout) });
      return false;
    }
  };
  const understands = await check('capabilities', async () => {
    const { types, exportPath } = await readCapabilities(server);
    const how = exportPath === undefined ? 'by searches' : 'by bulk export';
    return `The EHR system offers ${types.length} types of resources that can be fetched, ${how}.`;
  });
  if (understands) await check('patients', () => findPatient(server));
  return checks;
}

async function findPatient(server: FhirServer): Promise<string> {
  const request = { url: 'Patient?_count=1', bytesMax: patientBytesMax, timeoutMs: checkMs };
  await server.ask(request, [200], async () => undefined);
  return 'The EHR system lets the service search for patients.';
}

function failureOf(
  error: unknown,
  timeout: AbortSignal,
): Pick<ConnectionCheck, 'code' | 'message' | 'remedy'> {
  const failure = timeout.aborted
    ? new EhrError('TOO_LONG', `The EHR system did not answer within ${checkMs / 1000} seconds.`)
    : error;
  if (!(failure instanceof EhrError)) throw failure;
  const { code, message } = failure;
  const remedy = remedies[code];
  return { code, message, ...(remedy !== undefined && { remedy }) };
}
