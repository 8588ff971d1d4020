/** Comma-separated values as the service writes them (RFC 4180); rows are parsed when they are looked at. */
export class CsvRows {
  readonly headings: string[];
  readonly length: number;
  readonly #bytes: Uint8Array;
  /** Offsets of the rows, the heading first; the end of the last one behind. */
  readonly #starts: Uint32Array;
  readonly #decoder = new TextDecoder();

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#starts = rowStarts(bytes);
    this.length = Math.max(0, this.#starts.length - 2);
    this.headings = this.#parse(0).map((cell) => cell ?? '');
  }

  /** Returns a row; empty cells without quotes are `null`. */
  at(index: number): (string | null)[] {
    return this.#parse(index + 1);
  }

  #parse(index: number): (string | null)[] {
    const line = this.#decoder.decode(this.#bytes.subarray(this.#starts[index], this.#starts[index + 1]));
    return parseRow(line.replace(/\r?\n$/, ''));
  }
}

/** Parses one row. */
function parseRow(line: string): (string | null)[] {
  const cells: (string | null)[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/gy;
  for (;;) {
    const found = pattern.exec(line);
    if (found === null) return cells;
    const [, quoted, plain, end] = found;
    cells.push(quoted !== undefined ? quoted.replaceAll('""', '"') : plain || null);
    if (end === '') return cells;
  }
}

const quote = 34;
const newline = 10;

function rowStarts(bytes: Uint8Array): Uint32Array {
  const starts: number[] = [0];
  let quoted = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) quoted = !quoted;
    else if (byte === newline && !quoted) starts.push(at + 1);
  }
  if (starts.at(-1) !== bytes.length) starts.push(bytes.length);
  return Uint32Array.from(starts);
}

/** Writes rows as comma-separated values. */
export function csvText(rows: readonly (readonly unknown[])[]): string {
  return rows.map((row) => `${row.map(csvCell).join(',')}\r\n`).join('');
}

/** Characters that begin a formula, also in their full width, which spreadsheets of some languages read alike. */
const formulaStart = /^[-=+@\t\r\n\uff0b\uff0d\uff1d\uff20]/;

/** Formats a cell. A leading sign would be a formula in a spreadsheet; a blank before it is not. Numbers stay numbers. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const isNumber = text.startsWith('-') && !Number.isNaN(Number(text));
  const safe = formulaStart.test(text) && !isNumber ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Offers bytes as a file to keep. */
export function saveAs(name: string, content: BlobPart, type: string): void {
  saveBlob(name, new Blob([content], { type }));
}

/** Offers a file to keep that the browser holds. */
export function saveBlob(name: string, content: Blob): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
