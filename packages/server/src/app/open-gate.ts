import type { Config } from '../config/config.ts';
import { projectLookup } from '../domains/files/projects/index.ts';
import { Authentication, type Credentials } from '../http/access/authentication.ts';
import { Gate } from '../http/access/gate.ts';
import { RateLimit } from '../http/access/rate-limit.ts';
import type { Refusals } from '../http/access/refusals.ts';
import type { Core } from './core.ts';

interface GateParts extends Pick<Core, 'records' | 'audit'> {
  config: Config;
}

/** Composes authentication and authorization of requests. */
export function openGate(
  { config, records, audit }: GateParts,
  refusals: Refusals,
  credentials: Credentials,
): Gate {
  return new Gate({
    authentication: new Authentication(credentials),
    audit,
    refusals,
    rateLimit: new RateLimit(config.requestsPerMinute),
    accountHeaders: ['service-account', ...config.accountHeaders],
    projectExists: projectLookup(records.read),
  });
}
