import { isIPv6 } from 'node:net';

/** Returns the network of an address: the /64 of IPv6, which one user controls (RFC 6177); IPv4 unchanged. */
export function networkOf(address: string): string {
  return networksOf(address)[0] ?? '';
}

/**
 * Returns the networks of an address, the narrowest first: the /64 and the /48 of IPv6, since a customer may have all of the latter
 * (RFC 6177); an IPv4 address alone.
 */
export function networksOf(address: string): string[] {
  const bare = address.split('%', 1)[0] ?? '';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare);
  if (mapped?.[1]) return [mapped[1]];
  if (!isIPv6(bare)) return [bare];
  // The URL parser normalises every spelling.
  const [head = '', tail] = new URL(`http://[${bare}]`).hostname.slice(1, -1).split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0');
  const parts = [...left, ...zeros, ...right];
  return [4, 3].map((count) => `${parts.slice(0, count).join(':')}::/${16 * count}`);
}
