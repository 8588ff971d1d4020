import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { convertText, pick, vcf } from './conversion.fixture.ts';

const good = '1 5 . A C . . . GT 0/1';
const withLine = (line: string): string => vcf([good, line, good.replace('5', '7')], { samples: ['S'] });

describe('broken input', () => {
  const broken: [name: string, record: string, column: number, reason: RegExp][] = [
    ['too few columns', '1 6 . A', 5, /only 4 of the eight columns/],
    ['a missing sample', '1 6 . A C . . . GT', 10, /9 columns, but the header has 10/],
    ['a column too many', '1 6 . A C . . . GT 0/1 0/1', 11, /11 columns/],
    ['a position that is no number', '1 6e1 . A C . . . GT 0/1', 2, /POS is not a whole number/],
    ['a negative position', '1 -6 . A C . . . GT 0/1', 2, /POS/],
    ['an empty REF', '1 6 .  C . . . GT 0/1', 4, /REF is empty/],
    ['a REF of other letters than bases', '1 6 . A-1 C . . . GT 0/1', 4, /REF is not made of bases/],
    ['an empty ALT', '1 6 . A  . . . GT 0/1', 5, /ALT is empty/],
    ['an empty allele in ALT', '1 6 . A C, . . . GT 0/1', 5, /ALT is not a list/],
    ['no chromosome', ' 6 . A C . . . GT 0/1', 1, /CHROM is empty/],
    [
      'a genotype of an allele that is not there',
      '1 6 . A C . . . GT 0/2',
      10,
      /GT\) in column 10 names an allele/,
    ],
    ['a genotype that is none', '1 6 . A C . . . GT 0-1', 10, /GT\) in column 10 cannot be read/],
    ['a header in the middle', '##comment', 1, /header line/],
    ['a lone carriage return', '1 6 . A C . . a\rb GT 0/1', 8, /control character/],
    ['a control character', '1 6 . A C . . \u001f GT 0/1', 8, /control character/],
  ];
  for (const [name, record, column, reason] of broken) {
    test(`${name} fails with its line, column and reason, or is skipped with a warning`, async () => {
      const text = withLine(record);
      for (const source of [text, gzipSync(text)]) {
        await assert.rejects(convertText(source), { name: 'InputError', line: 4, column, message: reason });
        const { variants, warnings } = await convertText(source, { onError: 'skip' });
        assert.deepEqual(pick(variants, 'position'), ['5', '7']);
        assert.deepEqual(
          warnings.map(({ line }) => line),
          [4],
        );
        assert.match(warnings[0]?.message ?? '', reason);
      }
    });
  }

  test('lines that end with CR alone, all or only those of the header, are reported as such', async () => {
    const lines = vcf([good], { samples: ['S'] })
      .trimEnd()
      .split('\n');
    for (const text of [lines.join('\r'), `${lines.slice(0, -1).join('\r')}\n${lines.at(-1)}\n`])
      for (const options of [{}, { onError: 'skip' as const }])
        await assert.rejects(convertText(text, options), {
          name: 'InputError',
          line: 1,
          message: /save the file with LF/,
        });
    const mixed = `${lines.slice(0, -1).join('\n')}\r${lines.at(-1)}\n`;
    await assert.rejects(convertText(mixed), { name: 'InputError', message: /save the file with LF/ });
  });

  test('text that is not UTF-8 fails with its line and column', async () => {
    const bytes = Buffer.from(withLine('1 6 . A C . . CLNDN=Alstr\u00f6m GT 0/1'), 'latin1');
    await assert.rejects(convertText(bytes), { name: 'InputError', line: 4, column: 8, message: /UTF-8/ });
    assert.equal((await convertText(bytes, { onError: 'skip' })).variants.length, 2);
  });

  test('a row of more than two megabytes fails with its line, or is left out whole', async () => {
    const long = `1 6 . A C . . CLNDN=${'x'.repeat(3 << 20)} GT 0/1`;
    await assert.rejects(convertText(withLine(long)), { line: 4, message: /too long/ });
    const { variants, warnings } = await convertText(withLine(long), { onError: 'skip' });
    assert.deepEqual(pick(variants, 'position', 'genotype'), ['5 0/1', '7 0/1']);
    assert.equal(warnings.length, 1);
  });

  test('messages never repeat the content of the file', async () => {
    const error = await convertText(withLine('1 SECRET . A C . . . GT 0/1')).catch(
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof Error && !error.message.includes('SECRET'));
  });

  test('a truncated or damaged gzip fails, whatever of it can be read, also with onError skip', async () => {
    const records = Array.from(
      { length: 20_000 },
      (_, index) => `1 ${index + 1} . A C . . DP=${(index * 7919) % 1000} GT 0/1`,
    );
    const whole = gzipSync(vcf(records, { samples: ['S'] }));
    for (const length of [whole.length - 3, whole.length >> 1, 5000]) {
      for (const onError of ['fail', 'skip'] as const) {
        const cut = convertText(whole.subarray(0, length), { onError });
        await assert.rejects(cut, { name: 'InputError', message: /ends too early|not a VCF/ });
      }
    }
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(whole.length - 6) ^ 1, whole.length - 6);
    await assert.rejects(convertText(damaged), { name: 'InputError', message: /damaged/ });
  });

  test('a file that is no VCF is refused', async () => {
    const noise = Uint8Array.from({ length: 9000 }, (_, index) => (index * index * 31) % 251);
    for (const source of [
      noise,
      gzipSync(noise),
      '{"resourceType":"Bundle"}',
      'a,b,c\n1,2,3\n',
      '@HD\tVN:1.6\n',
      'BCF\u0004',
    ]) {
      await assert.rejects(convertText(source), { name: 'InputError', message: /not a VCF/ });
    }
  });

  test('an empty file is refused, a header alone has no rows', async () => {
    for (const source of ['', '\n\n', gzipSync('')]) {
      await assert.rejects(convertText(source), { name: 'InputError', message: /empty/ });
    }
    const { variants, sequences } = await convertText(vcf([], { samples: ['S'] }));
    assert.deepEqual([variants.length, sequences.length], [0, 1]);
  });

  test('two samples of one name are refused with the line of the header', async () => {
    const text = vcf(['1 5 . A C . . . GT 0/1 0/1'], { samples: ['S', 'S'] });
    await assert.rejects(convertText(text), { name: 'InputError', line: 2, message: /columns 10 and 11/ });
  });
});

describe('odd but sound input', () => {
  const rows = async (source: string | Uint8Array): Promise<string[]> =>
    pick((await convertText(source)).variants, 'position');

  test('CRLF, mixed line ends, blank lines, a missing last line end, a byte order mark', async () => {
    const text = vcf(['1 5 . A C . . .', '1 6 . A C . . .']);
    assert.deepEqual(await rows(text.replaceAll('\n', '\r\n')), ['5', '6']);
    assert.deepEqual(await rows(text.replace(/\n(?=1)/, '\r\n')), ['5', '6']);
    assert.deepEqual(await rows(text.replaceAll('\n', '\n\n')), ['5', '6']);
    assert.deepEqual(await rows(text.trimEnd()), ['5', '6']);
    assert.deepEqual(await rows(`\ufeff${text}`), ['5', '6']);
    assert.deepEqual(await rows(gzipSync(text.replaceAll('\n', '\r\n'))), ['5', '6']);
  });

  test('quotes, hashes, commas and quote marks in fields are text', async () => {
    assert.deepEqual(await rows(vcf(['1 5 "x A C . . CLNDN="a#b\'c', '1 6 # A C . . "'])), ['5', '6']);
  });

  test('a blank at the end of the column line or of the records', async () => {
    const text = vcf(['1 5 . A C . . . GT 0/1'], { samples: ['S'] });
    assert.deepEqual(await rows(text.replace('\tS\n', '\tS\t\n')), ['5']);
    assert.deepEqual(await rows(text.replace('0/1\n', '0/1\t\n')), ['5']);
  });

  test('no header line at all', async () => {
    assert.deepEqual(await rows('1\t5\trs1\tA\tC\t.\t.\tDP=3\n'), ['5']);
  });

  test('several gzip members after one another are one text', async () => {
    const text = vcf(['1 5 . A C . . .', '1 6 . A C . . .']);
    assert.deepEqual(
      await rows(Buffer.concat([gzipSync(text.slice(0, 70)), gzipSync(text.slice(70)), gzipSync('')])),
      ['5', '6'],
    );
  });

  test('a line far longer than those before it', async () => {
    const long = `1 6 . A C . . CLNDN=${'x'.repeat(3_000_000)}`;
    assert.deepEqual(
      await rows(vcf(['1 5 . A C . . .', ...Array(1000).fill('1 5 . A C . . .'), long])).then((all) =>
        all.at(-1),
      ),
      '6',
    );
  });
});
