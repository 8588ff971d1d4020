import { insecurity } from '../../../platform/outbound/secure-address.ts';

/**
 * Addresses a client may register. They are compared as strings, never normalised: `http://localhost:8787`
 * has no path. An error here opens redirects to attackers.
 */

/** Schemes that execute or display content in the browser itself. */
const harmfulSchemes = new Set([
  'javascript:',
  'data:',
  'vbscript:',
  'blob:',
  'file:',
  'about:',
  'filesystem:',
  'view-source:',
  'ws:',
  'wss:',
  'ftp:',
]);

/** Describes the error of a callback or logout address, if any. RFC 6749 §3.1.2, RFC 8252 §7. */
export function redirectFault(address: string): string | undefined {
  if (/[^\x21-\x7e]/.test(address)) return 'must be written in ASCII, without blanks';
  if (address.includes('\\')) return 'must not contain a backslash';
  if (address.includes('#')) return 'must have no fragment';
  if (address.includes('*')) return 'must be a whole address: wildcards are not supported';
  const url = parse(address);
  if (!url) return 'must be an absolute URL';
  if (url.username !== '' || url.password !== '') return 'must hold no user name or password';
  if (/^[a-z][a-z0-9+.-]*:\/\/[^/?]*@/i.test(address)) return 'must hold no user name or password';
  if (url.protocol === 'https:') return hostFault(url.hostname);
  if (url.protocol === 'http:') return insecurity(url);
  if (harmfulSchemes.has(url.protocol)) return 'must use https or a private-use scheme';
  // RFC 8252 §7.1: a private-use scheme is a reversed domain name, so that no other application answers to
  // it.
  return url.protocol.includes('.')
    ? undefined
    : 'must use https, or a private-use scheme with a dot (com.example.app:/callback)';
}

/** Refuses `;` and `,` in a host name: URLs allow them, host names do not, and in a header they separate values. */
function hostFault(hostname: string): string | undefined {
  if (hostname === '') return 'must name a host';
  return /^(?:[\w.-]+|\[[\da-f:.]+\])$/i.test(hostname)
    ? undefined
    : 'must name a host in letters, digits and hyphens';
}

/** Describes the error of an address of provider metadata, if any. */
export function metadataFault(address: string): string | undefined {
  const url = parse(address);
  if (!url) return 'must be an absolute URL';
  if (url.username !== '' || url.password !== '') return 'must hold no user name or password';
  return insecurity(url);
}

/** Reports whether a client may redirect to this address: exactly a registered one; on a loopback IP any port (RFC 8252 §7.3). */
export function isRegistered(registered: readonly string[], asked: string): boolean {
  if (registered.includes(asked)) return true;
  const bare = withoutLoopbackPort(asked);
  return bare !== undefined && registered.some((one) => withoutLoopbackPort(one) === bare);
}

/** Drops the port: `http://127.0.0.1:5123/cb` → `http://127.0.0.1/cb`; `undefined` for other hosts or an invalid port (99999). */
function withoutLoopbackPort(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined;
  const match = /^http:\/\/(127\.0\.0\.1|\[::1\])(?::\d{1,5})?((?:[/?][\x21-\x7e]*)?)$/.exec(address);
  return match ? `http://${match[1]}${match[2]}` : undefined;
}

function parse(address: string): URL | undefined {
  return URL.canParse(address) ? new URL(address) : undefined;
}
