/** Forms of ids that a program changed, so that they join no other table. */
const forms: readonly [form: RegExp, advice: string][] = [
  [/^\d+\.0+$/, 'end with .0, as data frames write whole numbers beside empty ones: write whole numbers'],
  [
    /^\d(?:\.\d+[eE]\+?|[eE]\+)\d{1,3}$/,
    'are like 1.2E+11, as spreadsheets write long numbers: write all digits',
  ],
  [
    /^(?:\d{1,2}-(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)-\d{2})$/i,
    'are like 1-Mar, as spreadsheets write names that look like dates: write the names',
  ],
  [/^'.*'$/, 'are in single quotation marks: use double ones'],
  [/[\u00a0\u200b-\u200f\u2060\ufeff]/, 'hold invisible characters, such as U+00A0 or U+200B: remove them'],
];

/** Counts ids whose form looks changed. */
export class KeyNotes {
  readonly #seen = new Map<string, { count: number; line: number }>();

  add(column: string, id: string, line: number): void {
    for (const [form, advice] of forms) {
      if (!form.test(id)) continue;
      const note = `in ${column} ${advice}`;
      const seen = this.#seen.get(note);
      if (seen) seen.count += 1;
      else this.#seen.set(note, { count: 1, line });
    }
  }

  get warnings(): { line: number; message: string }[] {
    return [...this.#seen].map(([note, { count, line }]) => ({ line, message: `${count} ids ${note}.` }));
  }
}
