import { BlockList, isIP } from 'node:net';

/** Non-public networks of IPv4 (IANA special-purpose registry, RFC 6890 and its successors). */
const privateIpv4 = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  privateIpv4.addSubnet(network, bits, 'ipv4');

/** Routed IPv6 addresses are in 2000::/3; those that lead to IPv4 addresses or nowhere are excluded. */
const globalIpv6 = new BlockList();
globalIpv6.addSubnet('2000::', 3, 'ipv6');
const specialIpv6 = new BlockList();
for (const [network, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  specialIpv6.addSubnet(network, bits, 'ipv6');

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Reports whether an IP address is public. Anything else is not. */
export function isPublic(address: string): boolean {
  const version = isIP(address);
  if (version === 4) return !privateIpv4.check(address, 'ipv4');
  return version === 6 && globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** Reports whether a host is not public, as far as visible without a lookup (RFC 6761 §6.3: `localhost` is local). */
export function isInside(host: string): boolean {
  return isIP(host) === 0 ? /(?:^|\.)localhost\.?$/i.test(host) : !isPublic(host);
}

/** Reports whether an IP address is this computer. */
export function isLoopback(address: string): boolean {
  const version = isIP(address);
  return version !== 0 && loopback.check(address, version === 4 ? 'ipv4' : 'ipv6');
}
