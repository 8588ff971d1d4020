const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Explains why a web address is insecure: traffic must be encrypted unless it remains on this computer. */
export function insecurity({ protocol, hostname }: URL): string | undefined {
  const isSecure = protocol === 'https:' || (protocol === 'http:' && loopbackNames.has(hostname));
  return isSecure ? undefined : 'must use https (http only on this computer itself)';
}
