import { setTimeout as delay } from 'node:timers/promises';
import type { Outbound } from '../../../platform/outbound/outbound.ts';
import type { EhrsTable } from '../../../platform/records/schema-ehrs.ts';
import type { Secrets } from '../../../platform/secrets/secrets.ts';
import { credentialsOf } from '../ehr.ts';
import { openAuthorization } from './authorization.ts';
import { FhirServer, type RetryPolicy } from './fhir-server.ts';

interface About {
  ehr: EhrsTable;
  /** Reads the configuration again when a token is requested. */
  latest: () => Promise<EhrsTable>;
  signal: AbortSignal;
  /** Called before each request, to count it. */
  onRequest: () => void;
}

/** Opens the client of the EHR system of a configuration. */
export function openServer(
  { outbound, secrets }: { outbound: Outbound; secrets: Secrets },
  retry: RetryPolicy,
  { ehr, latest, signal, onRequest }: About,
): FhirServer {
  const baseUrl = ehr.api_base_url;
  const credentials = async () => credentialsOf(await latest(), secrets);
  const type = ehr.api_auth_type;
  const authorization = openAuthorization({ outbound, type, credentials, baseUrl, signal });
  const delayMs = ehr.delay_between_records_ms;
  return new FhirServer({ outbound, baseUrl, authorization, retry, delayMs, signal, onRequest, wait });
}

async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal });
}
