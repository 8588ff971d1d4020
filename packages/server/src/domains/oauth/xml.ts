/** An answer of the token endpoint as XML: the fields in their order, absent ones left out (specification, "Token response"). */
export function tokenXml(fields: object): string {
  const elements = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tokenResponse>${elements.join('')}</tokenResponse>\n`;
}

/** Whether `Accept` asks for XML rather than JSON. What takes anything gets JSON. */
export function wantsXml(accept: string | string[] | undefined): boolean {
  const ranges = String(accept ?? '')
    .split(',')
    .map(readRange);
  const best = (types: string[]) =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ q }) => q));
  const xml = best(['application/xml', 'text/xml']);
  return xml > 0 && xml > best(['application/json', 'application/*', '*/*']);
}

function readRange(text: string): { type: string; q: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((one) => one.startsWith('q='));
  const q = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, q: Number.isFinite(q) ? q : 0 };
}

function escapeXml(text: string): string {
  const entities: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&apos;',
  };
  // Characters that XML 1.0 cannot hold (§2.2) are left out.
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, (c) => entities[c] ?? c);
}
