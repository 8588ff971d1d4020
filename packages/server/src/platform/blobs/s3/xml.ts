/**
 * Reads the answers of S3: small documents without attributes that matter, comments or CDATA. Only what is known by its name is
 * taken out, so nothing in them can do anything.
 */

const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** The text of the first element of a name, or `undefined`. */
export function textOf(xml: string, name: string): string | undefined {
  const element = elementsOf(xml, name)[0];
  return element === undefined ? undefined : plain(element);
}

/** What stands inside each element of a name that is not within another of the same name. */
export function elementsOf(xml: string, name: string): string[] {
  const found: string[] = [];
  const end = `</${name}>`;
  for (let at = 0; ; ) {
    const start = xml.indexOf(`<${name}>`, at);
    const stop = start < 0 ? -1 : xml.indexOf(end, start);
    if (stop < 0) return found;
    found.push(xml.slice(start + name.length + 2, stop));
    at = stop + end.length;
  }
}

/** A text as it may stand between two tags. */
export function escaped(text: string): string {
  return text.replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

function plain(text: string): string {
  return text.replace(/&(#x?[0-9a-fA-F]+|\w+);/g, (whole, name: string) => {
    if (!name.startsWith('#')) return entities[name] ?? whole;
    const code = name.startsWith('#x') ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
