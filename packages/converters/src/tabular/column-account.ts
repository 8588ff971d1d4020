import { type Account, AccountBook, columnUses, type RecognisedFile, textAt } from '@ploidy/formats';

/** Words by which an unread column may hold what a table of the lake asks for, by topic. */
const topics: readonly (readonly [topic: string, word: RegExp])[] = [
  ['copy numbers', /copy.?num|(?:^|[_.])(?:cn|tcn|ploidy)(?:$|[_.])|ploidy/i],
  ['depths', /depth|coverage|(?:ref|alt|var)[_.]?(?:count|reads)|(?:^|[_.])dp$/i],
  ['frequencies', /(?:^|[_.])[mv]?af(?:$|[_.])|freq/i],
  ['genes', /(?:^|[_.])(?:gene|symbol|hugo)s?(?:$|[_.])|gene_?(?:name|id|symbol)/i],
  ['samples', /sample|barcode|aliquot|patient|subject|donor/i],
  ['filters', /filter|(?:^|[_.])pass$/i],
];

/** Texts of a column that are counted to find one that names samples. */
const textsMax = 500;

/** Accounts for the records and columns of a table; finds the column that may name the samples. */
export class ColumnAccount {
  readonly book = new AccountBook();
  readonly #names: readonly string[];
  /** Columns beside those that are read, with their numbers of values and their texts. */
  readonly #others: {
    place: number;
    name: string;
    isKept: boolean;
    count: number;
    line: number;
    texts: Set<string>;
  }[] = [];
  readonly #read: readonly string[];
  readonly #samples: ReadonlySet<string>;
  #withRows = 0;
  #topicsRead = '';

  constructor(recognised: RecognisedFile) {
    const { header, records } = recognised;
    this.#names = header?.names ?? [];
    const file = recognised.reopen();
    const { read, kept } = file
      ? columnUses(file, this.#names, records)
      : { read: new Set(), kept: new Set() };
    this.#samples = new Set(recognised.file.samples);
    this.#read = this.#names.filter((_, place) => read.has(place));
    this.#topicsRead = this.#read.join(' ');
    for (const [place, name] of this.#names.entries())
      if (!read.has(place))
        this.#others.push({ place, name, isKept: kept.has(place), count: 0, line: 0, texts: new Set() });
  }

  record(fields: readonly string[], hasRows: boolean, line: number): void {
    if (hasRows) {
      this.#withRows += 1;
      this.book.gave();
    } else
      this.book.leave('they say nothing of a sample: no value, or a filter or mark of the file', 1, line);
    for (const other of this.#others) {
      const text = textAt(fields, other.place);
      if (text === undefined) continue;
      if (other.count === 0) other.line = line;
      other.count += 1;
      if (other.texts.size < textsMax) other.texts.add(text);
    }
  }

  account(records: number): Account {
    const read = new Set(this.#read.map((name) => (this.#samples.has(name) ? 'samples' : name)));
    for (const name of read) this.book.name('read', name, this.#withRows);
    for (const { place, name, isKept, count, line } of this.#others) {
      // Columns at the end of lines that programs leave empty have neither a name nor values.
      if (name === '' && count === 0) continue;
      const isRepeated = this.#names.indexOf(name) !== this.#names.lastIndexOf(name);
      const shown = isRepeated || name === '' ? `${name} (column ${place + 1})`.trim() : name;
      this.book.name(isKept ? 'kept' : 'unread', shown, count, line || undefined);
    }
    return this.book.account(records);
  }

  /** Names the unread columns whose subject no other column has. */
  get remarks(): string[] {
    if (this.#withRows === 0) return [];
    const twice = this.#others.filter(
      ({ name, count }) => count > 0 && name !== '' && this.#read.includes(name),
    );
    const found = topics.flatMap(([topic, word]) => {
      if (word.test(this.#topicsRead)) return [];
      const names = this.#others.filter(({ name, isKept, count }) => !isKept && count > 0 && word.test(name));
      return names.length === 0 ? [] : [`${namesOf(names)} (${topic})`];
    });
    return [
      ...(twice.length === 0
        ? []
        : [`Columns have the same name, of which the first is read: ${namesOf(twice)}.`]),
      ...(found.length === 0
        ? []
        : [`These columns are not read: ${found.join('; ')}. found.unread lists all.`]),
    ];
  }

  /** Names the column that may hold samples: texts that are repeated. */
  get adviceOfSamples(): string {
    const likely = this.#others
      .filter(({ count, texts }) => texts.size > 1 && texts.size < textsMax && texts.size * 2 <= count)
      .filter(({ texts }) => [...texts].every((text) => !/^[-+.\d]+(?:e[-+]?\d+)?$/i.test(text)));
    const named =
      likely.find(({ name }) => /sample|barcode|patient|case|id$|name|tumou?r|library|run/i.test(name)) ??
      likely[0];
    return named === undefined
      ? ' If the file is of several samples, add a column sample_id.'
      : ` The column "${named.name}" may name samples: name it sample_id then.`;
  }
}

/** Lists the first names for people. */
const namesOf = (columns: readonly { name: string }[]): string =>
  columns
    .slice(0, 5)
    .map(({ name }) => name)
    .join(', ');
