import {
  Header,
  InputError,
  isOpen,
  layoutOf,
  RecordFault,
  RecordReader,
  requireColumnCount,
  type TableLayout,
} from '@ploidy/formats';
import { readSource } from '../decompressed-source.ts';
import type { RowSource, RowTaker } from './row-source.ts';

/** CSV or TSV, with a line of titles. Lines above it that begin with `#` are comments. */
export class DelimitedSource implements RowSource {
  titles: string[] = [];
  readonly textColumns: ReadonlySet<number>;
  readonly #path: string;
  readonly #layout: TableLayout;

  /** `beginning`: the first lines, at least those above the titles. */
  constructor(path: string, beginning: string) {
    this.#path = path;
    this.#layout = layoutOf(beginning);
    this.textColumns = this.#layout.textColumns;
  }

  async read(taker: RowTaker, onRead: (bytes: number) => void): Promise<void> {
    const { delimiter, linesBefore } = this.#layout;
    let header: Header | undefined;
    const reader = new RecordReader(delimiter, linesBefore, {
      record: (fields, line) => {
        if (!header) {
          header = new Header(fields);
          this.titles = [...header.names];
          requireColumnCount(this.titles.length, line);
          return;
        }
        if (delimiter === '\t') refuseOpenQuote(fields);
        if (header.isRepeatedBy(fields))
          throw new RecordFault('it repeats the titles', undefined, { isOfFile: !isHeader(fields, header) });
        header.check(fields);
        taker.row(fields.slice(0, this.titles.length).map(cellOf), line);
      },
      fault: (fault, line) => {
        if (!header)
          throw new InputError(`Line ${line} should hold the titles, but cannot be read: ${fault.message}.`, {
            line,
          });
        taker.fault(fault, line);
      },
    });
    for await (const chunk of readSource(this.#path, { onRead })) reader.add(chunk);
    reader.end();
  }
}

/**
 * Between tabs, quotes are kept unless they are around a whole field: otherwise a field that continues in the next line would
 * be cut.
 */
function refuseOpenQuote(fields: readonly string[]): void {
  const place = fields.findIndex((field) => field.startsWith('"') && isOpen(field));
  if (place >= 0) throw new RecordFault('a quoted field does not end in its line', place + 1);
}

/** Concatenated files repeat their titles. */
function isHeader(fields: readonly string[], { names }: Header): boolean {
  return names.length > 1 && names.every((name, place) => name === fields[place]?.trim());
}

function cellOf(field: string): string | undefined {
  const text = field.trim();
  return text === '' ? undefined : text;
}
