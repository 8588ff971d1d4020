import { join } from 'node:path';
import type { ConvertedTable, Sql } from '@ploidy/engine';
import { clinicalText, jsonOf, storedTable } from '@ploidy/formats';
import { TableFile } from '../tables/table-file.ts';
import { widthOf } from './matrix.ts';
import type { StudyAccount } from './study-account.ts';
import { linesOf, type StudyFile } from './unpack.ts';

const known = ['PATIENT_ID', 'START_DATE', 'STOP_DATE', 'EVENT_TYPE', 'SAMPLE_ID'] as const;

/** Days from the first day of a patient. */
const day = /^-?\d{1,9}$/;

/** Events of patients from all timelines of a study. */
export class Timelines {
  readonly #file: TableFile;
  readonly #prefix: string;

  constructor(folder: string, prefix: string) {
    this.#prefix = prefix;
    this.#file = new TableFile(join(folder, 'timeline_event.parquet'), storedTable('timeline_event'));
  }

  close(): void {
    this.#file.close();
  }

  async read(file: StudyFile, account: StudyAccount): Promise<void> {
    let titles: string[] | undefined;
    for await (const { text, line } of linesOf(file.path)) {
      if (text.trim() === '' || text.startsWith('#')) continue;
      const fields = text.split('\t');
      if (!titles) {
        titles = fields.map((title) => title.trim());
        const names = titles.map((title) => title.toUpperCase());
        const missing = ['PATIENT_ID', 'START_DATE', 'EVENT_TYPE'].filter((title) => !names.includes(title));
        if (missing.length > 0) return account.leaveFile(`it has no column ${missing.join(', ')}`);
        for (const title of titles) account.read(title);
        continue;
      }
      this.#event(titles, fields, line, account);
    }
  }

  #event(titles: readonly string[], fields: readonly string[], line: number, account: StudyAccount): void {
    const named = new Map<string, string>();
    for (const [place, title] of titles.entries()) {
      const text = clinicalText(fields[place]);
      const key = known.find((one) => one === title.toUpperCase()) ?? title;
      if (text !== undefined && title !== '' && !named.has(key)) named.set(key, text);
    }
    const [patient, start, stop, type, sample] = known.map((title) => named.get(title));
    for (const title of known) named.delete(title);
    const fault =
      widthOf(fields, titles.length) > titles.length
        ? 'a line with more fields than the titles'
        : patient === undefined || type === undefined
          ? 'an event without its patient or type'
          : start === undefined || !day.test(start)
            ? 'an event whose START_DATE is no whole number of days'
            : undefined;
    if (fault !== undefined) {
      account.leave(fault, line);
      return;
    }
    if (stop !== undefined && !day.test(stop))
      account.warn('STOP_DATE is no whole number of days: the event has no end', line);
    account.gave();
    this.#file.add({
      patient_id: `${this.#prefix}${patient}`,
      sample_id: sample,
      type,
      start_day: Number(start),
      stop_day: stop !== undefined && day.test(stop) ? Number(stop) : undefined,
      attributes: named.size > 0 ? jsonOf(Object.fromEntries(named)) : undefined,
    });
  }

  async end(sql: Sql): Promise<ConvertedTable> {
    await this.#file.end(sql);
    return { table: 'timeline_event', path: this.#file.path, rows: this.#file.rowCount };
  }
}
