import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { printedBy, realFilesFolder, realFilesSkip } from '../../../../test/support/real-files.ts';
import { convertContent } from './conversion.fixture.ts';

/** Value as its writer states it: numbers have all digits. */
type Said =
  | null
  | boolean
  | string
  | { readonly number: string }
  | readonly Said[]
  | { readonly [key: string]: Said };

interface Written {
  path: string;
  /** Arrow's names of the types, and the values, by column. */
  kinds: string[];
  columns: Said[][];
}

const skip = realFilesSkip(['pyarrow'], 'python3');
const program = join(import.meta.dirname, '../../../../test/real-files/every_type.py');

let folder: string;
let written: Written[] = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ploidy-parquet-ledger-'));
  if (skip !== false) return;
  const text = printedBy('python3', [program, folder], { PYTHONPATH: realFilesFolder('pyarrow') }) ?? '';
  written = text
    .trim()
    .split('\n')
    .map((line): Written => JSON.parse(line));
});
after(() => rm(folder, { recursive: true }));

describe('Parquet files of every type hold what their writer wrote', { skip }, () => {
  for (const name of ['flat', 'nested', 'old', 'new', 'pages', 'spark', 'split'])
    test(name, async (context) => {
      const { path, kinds, columns } = written.find((one) =>
        one.path.endsWith(`/${name}.parquet`),
      ) as Written;
      const made = await convertContent(await readFile(path), { name: 'ledger' });
      assert.equal(made.cells.length, columns[0]?.length);
      let count = 0;
      for (const [line, [row, ...cells]] of made.cells.entries()) {
        assert.equal(row, String(line));
        for (const [place, kind] of kinds.entries()) {
          const [own, said] = [cells[place] ?? null, columns[place]?.[line] ?? null];
          const type = made.columns[place + 1]?.split(':')[1];
          assert.ok(isSame(own, said, kind, type), `${kind} as ${type}: ${own} for ${JSON.stringify(said)}`);
          count += 1;
        }
      }
      context.diagnostic(`${count} values`);
      const cut = made.warnings.filter(({ message }) => /to the microsecond/.test(message));
      const isCut = (kind: string): boolean =>
        (name === 'spark' && kind.startsWith('timestamp')) || /time64\[ns\]|timestamp\[ns, /.test(kind);
      assert.equal(cut.length, kinds.filter(isCut).length);
    });

  test('decimals that the engine reads as other numbers, and titles that it renames, are refused', async () => {
    for (const [name, message] of [
      ['wide0', /more than 38 digits/],
      ['wide5', /more than 38 digits/],
      ['case', /both called age/],
    ] as const) {
      const file = await readFile(join(folder, `${name}.parquet`));
      await assert.rejects(convertContent(file, { name: 'ledger' }), message);
    }
  });
});

/** Compares the text of a cell with the value of the writer. NaN and infinities have none. */
function isSame(own: string | null, said: Said, kind: string, type: string | undefined): boolean {
  if (own === null) return said === null || /"number":"(?:nan|-?inf)"/.test(JSON.stringify(said));
  if (said === null) return false;
  if (typeof said === 'boolean') return own === String(said);
  if (typeof said === 'string') return own === (type === 'date' ? said.slice(0, 10) : said);
  if (/^(?:list|large_list|fixed_size_list|struct|map)/.test(kind)) return isSameJson(parsed(own), said);
  const { number } = said as { number: string };
  // A number of fewer bits has the digits that distinguish it from its neighbours.
  if (/^(?:float|halffloat)$/.test(kind)) return Math.fround(Number(own)) === Math.fround(Number(number));
  return type === 'float' ? Number(own) === Number(number) : own === number;
}

/** Parses JSON whose numbers keep their digits. */
function parsed(text: string): Said {
  return JSON.parse(text, ((_key: string, value: unknown, { source }: { source: string }) =>
    typeof value === 'number' ? { number: source } : value) as (key: string, value: unknown) => unknown);
}

function isSameJson(own: Said, said: Said): boolean {
  if (typeof own !== 'object' || typeof said !== 'object' || own === null || said === null)
    return own === said;
  if ('number' in said && 'number' in own) return isSameNumber(String(own.number), String(said.number));
  const [keys, others] = [Object.keys(own), Object.keys(said)];
  const [values, expected] = [own, said] as Readonly<Record<string, Said>>[];
  return (
    keys.length === others.length &&
    others.every(
      (key) => Object.hasOwn(own, key) && isSameJson(values?.[key] ?? null, expected?.[key] ?? null),
    )
  );
}

/** More than 15 digits are compared as text, fewer as a number: `1e-10` is `0.0000000001`. */
function isSameNumber(own: string, said: string): boolean {
  const bare = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);
  return bare(own) === bare(said) || (said.replace(/\D/g, '').length <= 20 && Number(own) === Number(said));
}
