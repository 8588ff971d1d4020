/** A field of the service's CSV; an empty field without quotes is NULL. */
export type Cell = string | null;

/** Reads CSV as the service writes it (RFC 4180, `\n`), in pieces that may end anywhere. */
export class CsvReader {
  #row: Cell[] = [];
  #field = '';
  /** State of the reader: at the start of a field, in a plain one, in quotes, or after a possibly last quote. */
  #at: 'start' | 'plain' | 'quoted' | 'quote' = 'start';

  /** Returns the records that this piece completes. */
  push(text: string): Cell[][] {
    const rows: Cell[][] = [];
    for (let at = 0; at < text.length; ) at = this.#step(text, at, rows);
    return rows;
  }

  /** Returns the last record, when the text does not end with a line end. */
  end(): Cell[][] {
    if (this.#at === 'start' && this.#row.length === 0) return [];
    this.#endField();
    return [this.#row];
  }

  /** Reads at `at`; answers where to go on. */
  #step(text: string, at: number, rows: Cell[][]): number {
    if (this.#at === 'quoted') {
      const quote = text.indexOf('"', at);
      this.#field += text.slice(at, quote < 0 ? undefined : quote);
      if (quote < 0) return text.length;
      this.#at = 'quote';
      return quote + 1;
    }
    const character = text[at];
    if (character === '"' && this.#at !== 'plain') {
      if (this.#at === 'quote') this.#field += '"';
      this.#at = 'quoted';
      return at + 1;
    }
    if (character === ',' || character === '\n') {
      this.#endField();
      if (character === '\n') {
        rows.push(this.#row);
        this.#row = [];
      }
      return at + 1;
    }
    return this.#plain(text, at);
  }

  #plain(text: string, at: number): number {
    let end = at + 1;
    while (end < text.length && text[end] !== ',' && text[end] !== '\n') end++;
    this.#field += text.slice(at, end);
    this.#at = 'plain';
    return end;
  }

  #endField(): void {
    this.#row.push(this.#at === 'start' ? null : this.#field);
    this.#field = '';
    this.#at = 'start';
  }
}

/** Reads the records of CSV from pieces of bytes, and yields those that each piece completes. */
export async function* csvRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Cell[][]> {
  const reader = new CsvReader();
  const decoder = new TextDecoder();
  for await (const chunk of bytes) yield reader.push(decoder.decode(chunk, { stream: true }));
  yield reader.push(decoder.decode());
  yield reader.end();
}
