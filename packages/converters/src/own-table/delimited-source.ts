import {
  type Delimiter,
  fieldsOf,
  Header,
  InputError,
  isOpen,
  RecordFault,
  RecordReader,
  requireColumnCount,
} from '@ploidy/formats';
import { readSource } from '../decompressed-source.ts';
import type { RowSource, RowTaker } from './row-source.ts';
import { separatorOf } from './separator.ts';

/** Layout of a delimited file, found at its beginning. */
interface Layout {
  delimiter: Delimiter;
  /** Lines above that of the titles. */
  linesBefore: number;
  textColumns: ReadonlySet<number>;
}

/** Types in the third comment line of a clinical file of cBioPortal. */
const declaredTypes = new Set(['STRING', 'NUMBER', 'BOOLEAN', 'DATETIME']);

/** CSV or TSV, with a line of titles. Lines above it that begin with `#` are comments. */
export class DelimitedSource implements RowSource {
  titles: string[] = [];
  readonly textColumns: ReadonlySet<number>;
  readonly #path: string;
  readonly #layout: Layout;

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

/** First line of a CSV that names the separator to Excel. */
const separatorHint = /^"?sep=.?"?\s*$/i;

function layoutOf(beginning: string): Layout {
  const lines = beginning.replace(/^\ufeff/, '').split('\n', 64);
  const comments = lines.findIndex((line) => !line.startsWith('#') && !separatorHint.test(line));
  if (comments < 0) throw new InputError('The file has comments (#) only, and no line of titles.');
  const titles = recordAt(lines, comments).trimEnd();
  const delimiter = separatorOf(titles, lines.slice(comments + 1, -1));
  const widthOf = (line = ''): number => line.split(delimiter).length;
  if (
    comments === 1 &&
    lines[0]?.startsWith('#') &&
    widthOf(titles) > 1 &&
    widthOf(lines[0]) === widthOf(titles)
  )
    throw new InputError(
      'Line 1 begins with # and has as many columns as line 2. If it holds the titles, remove the #; otherwise remove the line.',
      { line: 1 },
    );
  return {
    delimiter,
    linesBefore: comments,
    textColumns: declaredTexts(lines.slice(0, comments), delimiter),
  };
}

/** Record whose quoted fields may continue in the next lines. */
function recordAt(lines: readonly string[], start: number): string {
  let record = lines[start] ?? '';
  for (let next = start + 1; isOpen(record) && next < lines.length; next += 1) record += `\n${lines[next]}`;
  return record;
}

function declaredTexts(comments: readonly string[], delimiter: Delimiter): ReadonlySet<number> {
  const types = fieldsOf((comments[2] ?? '').replace(/^#/, '').trimEnd(), delimiter);
  if (!types.every((type) => declaredTypes.has(type))) return new Set();
  return new Set(types.flatMap((type, place) => (type === 'STRING' ? [place] : [])));
}
