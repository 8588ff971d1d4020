/** Reads CSV as the service writes it (RFC 4180, `\n`, an empty field is NULL). Stops after `rowsMax` records. */
export function parseCsv(text: string, rowsMax = Number.POSITIVE_INFINITY): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let at = 0;
  const endField = (): void => {
    row.push(field);
    field = '';
  };
  while (at < text.length && rows.length < rowsMax) {
    const character = text[at];
    if (character === '"') {
      const end = closingQuote(text, at + 1);
      field += text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else if (character === ',') {
      endField();
      at++;
    } else if (character === '\n') {
      endField();
      rows.push(row);
      row = [];
      at++;
    } else {
      field += character;
      at++;
    }
  }
  if (row.length > 0 || field !== '') {
    endField();
    if (rows.length < rowsMax) rows.push(row);
  }
  return rows;
}

function closingQuote(text: string, from: number): number {
  for (let at = from; ; at += 2) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    if (text[at + 1] !== '"') return at;
  }
}
