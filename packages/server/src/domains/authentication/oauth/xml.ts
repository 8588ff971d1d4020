/**
 * Formats a response of the token endpoint as XML: fields in order, absent ones left out (specification,
 * "Token response").
 */
export function tokenXml(fields: object): string {
  const elements = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `<${name}>${escapeXml(String(value))}</${name}>`);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<tokenResponse>${elements.join('')}</tokenResponse>\n`;
}

/** Returns the type of XML that `Accept` prefers to JSON; `undefined` for JSON, which wildcards get. */
export function wantedXml(accept: string | string[] | undefined): string | undefined {
  const ranges = String(accept ?? '')
    .split(',')
    .map(readRange);
  const best = (types: string[]) =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ q }) => q));
  const [type, other] = ['application/xml', 'text/xml'];
  const wanted = best([type]) >= best([other]) ? type : other;
  const xml = best([wanted]);
  return xml > 0 && xml > best(['application/json', 'application/*', '*/*']) ? wanted : undefined;
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
  // XML 1.0 cannot contain some characters (§2.2): they are left out.
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replace(/[&<>"']/g, (c) => entities[c] ?? c);
}
