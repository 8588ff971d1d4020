const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/** What is wrong with how a web address is reached: nobody may read or change on the way what goes there. */
export function insecurity({ protocol, hostname }: URL): string | undefined {
  const isSecure = protocol === 'https:' || (protocol === 'http:' && loopbackNames.has(hostname));
  return isSecure ? undefined : 'must use https (http only on this computer itself)';
}
