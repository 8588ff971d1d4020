import type { Config } from './config.ts';
import type { Core } from './core.ts';
import type { Callers } from './domains/callers/index.ts';
import { projectLookup } from './domains/projects/index.ts';
import { Authentication, type Credentials } from './http/authentication.ts';
import { Gate } from './http/gate.ts';
import { RateLimit } from './http/rate-limit.ts';
import type { Refusals } from './http/refusals.ts';

interface GateParts extends Pick<Core, 'records' | 'audit'> {
  config: Config;
  callers: Callers;
}

/** What every request goes through. */
export function openGate(
  { config, records, audit, callers }: GateParts,
  refusals: Refusals,
  credentials: Credentials,
): Gate {
  return new Gate({
    authentication: new Authentication({ records, ...credentials, callers }),
    audit,
    refusals,
    rateLimit: new RateLimit(config.requestsPerMinute),
    accountHeaders: ['service-account', ...config.accountHeaders],
    projectExists: projectLookup(records.read),
  });
}
