/** Changes of a table that must not change its rows, for the tests of readers. */
import { gzipSync } from 'node:zlib';
import type { TabularType } from '@ploidy/formats';
import fc from 'fast-check';
import type { Conversion } from './tabular/conversion.fixture.ts';

export interface Source {
  type: TabularType;
  /** First line, then records. */
  lines: readonly (readonly string[])[];
}

/** Builds a source; blanks are between the fields. */
export const source = (type: TabularType, ...lines: string[]): Source => ({
  type,
  lines: lines.map((line) => line.split(' ')),
});

/** Name of an unknown column. */
export const extra = 'Zq_invented';

/** Returns rows as sorted texts, without what a set or an unknown column adds. */
export function rowsOf({ rows, calls, alterations }: Conversion): string[][] {
  return [rows, calls, alterations].map((table) =>
    table
      .map((row) => {
        const given: Record<string, unknown> = JSON.parse(String(row['attributes'] ?? '{}'));
        const attributes = Object.entries(given).filter(([name]) => name !== extra);
        return JSON.stringify({ ...row, attributes: attributes.toSorted() }, (_, value: unknown) =>
          typeof value === 'bigint' ? String(value) : value,
        );
      })
      .toSorted(),
  );
}

/** Ways to write a table. */
export const changes = fc.record({
  lineEnd: fc.constantFrom('\n', '\r\n'),
  hasMark: fc.boolean(),
  hasLastEnd: fc.boolean(),
  isPacked: fc.boolean(),
  isReversed: fc.boolean(),
  isQuoted: fc.boolean(),
  hasExtra: fc.boolean(),
  hasComment: fc.boolean(),
  separator: fc.constantFrom('\t', ','),
  /** Columns in this order, the first one stays where it identifies a table. */
  order: fc.array(fc.nat(), { minLength: 12, maxLength: 12 }),
});

export type Changes = typeof changes extends fc.Arbitrary<infer Value> ? Value : never;

/** Returns the text of a source, changed. */
export function written({ lines: [names = [], ...records] }: Source, given: Changes): string | Uint8Array {
  const added = [names, ...(given.isReversed ? records.toReversed() : records)].map((line, at) =>
    given.hasExtra ? [...line, at === 0 ? extra : `z${at}`] : [...line],
  );
  const keyOf = (place: number): number => given.order[place] ?? place;
  const places = [...(added[0]?.keys() ?? [])].slice(1).toSorted((left, right) => keyOf(left) - keyOf(right));
  const text = added.map((line) =>
    [0, ...places]
      .map((place) => line[place] ?? '')
      .map((field) =>
        given.separator === ',' && (given.isQuoted || field.includes(',')) ? `"${field}"` : field,
      )
      .join(given.separator),
  );
  const content = `${given.hasMark ? '\ufeff' : ''}${[...(given.hasComment ? ['# made by a program'] : []), ...text].join(given.lineEnd)}${given.hasLastEnd ? given.lineEnd : ''}`;
  return given.isPacked ? gzipSync(content) : content;
}

/** Returns the text of a source, unchanged. */
export const plain = (one: Source): string => one.lines.map((line) => `${line.join('\t')}\n`).join('');
