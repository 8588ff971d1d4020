import type { Config } from '../config/config.ts';
import { projectLookup } from '../domains/files/projects/index.ts';
import { Authentication, type Credentials } from '../http/access/authentication.ts';
import { Gate } from '../http/access/gate.ts';
import { RateLimit } from '../http/access/rate-limit.ts';
import type { Refusals } from '../http/access/refusals.ts';
import { Visitors } from '../http/access/visitors.ts';
import type { Core } from './core.ts';

interface GateParts extends Pick<Core, 'records' | 'audit'> {
  config: Config;
}

/** Composes authentication and authorization of requests, and the distinction of their visitors. */
export function openGate(
  { config, records, audit }: GateParts,
  refusals: Refusals,
  credentials: Credentials,
): { gate: Gate; visitors: Visitors } {
  const authentication = new Authentication(credentials);
  const gate = new Gate({
    authentication,
    audit,
    refusals,
    rateLimit: new RateLimit(config.requestsPerMinute),
    accountHeaders: ['service-account', ...config.accountHeaders],
    projectExists: projectLookup(records.read),
  });
  return { gate, visitors: new Visitors(authentication, credentials.browserIn) };
}
