import { invalidInput, type ProblemDetail } from '../../base/problem.ts';
import { readCron } from '../../base/schedule.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { insecurity } from '../../platform/outbound/secure-address.ts';
import type { EhrSettings } from './ehr.ts';
import { readSigningKey } from './signing-key.ts';

/** Throws a Problem with all errors of a configuration. */
export function requireValid(settings: EhrSettings, outbound: Pick<Outbound, 'faultIn'>): void {
  const errors: ProblemDetail[] = [];
  const add = (field: string, message: string | undefined): void => {
    if (message !== undefined) errors.push({ path: `body/${field}`, message });
  };
  add('apiBaseUrl', addressFault(settings.apiBaseUrl) ?? outbound.faultIn(settings.apiBaseUrl));
  add('apiKey', keyFault(settings));
  add('apiSecret', secretFault(settings));
  if (settings.schedule) {
    const read = readCron(settings.schedule.cron);
    if (typeof read === 'string') add('schedule/cron', read);
  }
  if (errors.length > 0) throw invalidInput(errors);
}

function addressFault(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || !/^https?:\/\//i.test(address)) return 'must be an absolute URL that begins with https://';
  if (/[^\x21-\x7e]/.test(address)) return 'must be written in ASCII, without blanks';
  if (url.username !== '' || url.password !== '') return 'must hold no user name or password';
  if (address.includes('?') || address.includes('#')) return 'must have neither a query nor a fragment';
  return insecurity(url);
}

function keyFault({ apiKey, apiAuthType }: EhrSettings): string | undefined {
  if (apiAuthType === 'header')
    return apiKey === undefined || /^[\x20-\x7e]+$/.test(apiKey)
      ? undefined
      : 'must be ASCII: it is sent as the Authorization header';
  if (apiKey === undefined)
    return apiAuthType === 'basic'
      ? 'is needed for basic: the user name'
      : `is needed for ${apiAuthType}: the id of the client`;
  // RFC 7617 §2: the first colon ends the user name.
  return apiAuthType === 'basic' && apiKey.includes(':')
    ? 'must hold no colon: it is a user name'
    : undefined;
}

function secretFault({ apiSecret, apiAuthType }: EhrSettings): string | undefined {
  if (apiAuthType === 'private_key_jwt') {
    if (apiSecret === undefined) return 'is needed for private_key_jwt: the private key of the client';
    const key = readSigningKey(apiSecret);
    return typeof key === 'string' ? key : undefined;
  }
  if (apiSecret === undefined)
    return apiAuthType === 'oauth2' ? 'is needed for oauth2: the secret of the client' : undefined;
  return /[\t\r\n]/.test(apiSecret)
    ? 'must have one line: only the private key of private_key_jwt has more'
    : undefined;
}
