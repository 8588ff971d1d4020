/** Every kind of annotation source reads its own example. */
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readRelease, type SourceKind, sourceKinds } from '@ploidy/formats';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import type { ConversionOptions, ConversionTask, Warning } from '../../../engine/src/conversion.ts';
import { convertAnnotation } from './convert-annotation.ts';

type Row = Record<string, unknown>;

interface Made {
  rows: Map<string, Row[]>;
  source: string;
  warnings: Warning[];
  earlier: NonNullable<ConversionTask['earlier']>;
}

/** Converts a text; what it made stays until `folder` is removed. */
async function convert(
  folder: string,
  text: string,
  {
    file = 'a.tsv',
    options = {},
    earlier = [],
  }: { file?: string; options?: ConversionOptions; earlier?: Made['earlier'] } = {},
): Promise<Made> {
  const outputFolder = await mkdtemp(join(folder, 'output-'));
  const sourcePath = join(outputFolder, 'source');
  await writeFile(sourcePath, text);
  const sql = await keptSql(256 << 20);
  const warnings: Warning[] = [];
  const task = {
    type: 'annotation',
    sourcePath,
    sourceSize: text.length,
    sourceName: file,
    setId: 'set',
    earlier,
  };
  const tables = await convertAnnotation({ ...task, outputFolder, options }, sql, {
    progress: () => undefined,
    warn: (warning) => warnings.push(warning),
    account: () => undefined,
  });
  const rows = new Map<string, Row[]>();
  for (const { table, path } of tables) rows.set(table, await sql.rows(`FROM read_parquet('${path}')`));
  const source = tables[0]?.source ?? '';
  return { rows, source, warnings, earlier: tables.map(({ table, path }) => ({ table, path, source })) };
}

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'ploidy-sources-'));
  try {
    await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const textOf = ({ example }: SourceKind): string => `${example.lines.join('\n')}\n`;

/** Returns the columns of a row that an example names, in its form. */
const shown = (row: Row, expected: string): string =>
  expected
    .split(' | ')
    .map((pair) => pair.slice(0, pair.indexOf('=')))
    .map((name) => `${name}=${row[name] ?? '-'}`)
    .join(' | ');

describe('kinds of annotation sources', () => {
  test('names are unique', () => {
    assert.equal(new Set(sourceKinds.map(({ name }) => name)).size, sourceKinds.length);
  });

  for (const kind of sourceKinds)
    test(`${kind.name}: the example is recognised as its own, with its release, and gives its row`, () =>
      inFolder(async (folder) => {
        const { example } = kind;
        const { rows, source } = await convert(folder, textOf(kind), { file: example.file ?? 'a.tsv' });
        const release = readRelease(source);
        assert.equal(release?.kind, kind.name);
        if (kind.source !== undefined) assert.equal(release?.source, kind.source);
        assert.equal(
          [release?.version, release?.released].filter(Boolean).join(' ').split(' ')[0],
          (example.release ?? '').split(' ')[0],
        );
        const values = [...(rows.get('_annotation') ?? []), ...(rows.get('annotation_value') ?? [])];
        assert.ok(
          values.some((row) => shown(row, example.row) === example.row),
          values.map((row) => shown(row, example.row)).join('\n'),
        );
        const [described] = rows.get('annotation_source') ?? [];
        assert.deepEqual([described?.['kind'], described?.['matched_by']], [kind.name, kind.matchedBy]);
      }));
});

describe('a further release', () => {
  const clinvar = (date: string, ...records: string[]): string =>
    [
      '##fileformat=VCFv4.1',
      `##fileDate=${date}`,
      '##source=ClinVar',
      '##INFO=<ID=CLNSIG,Number=.,Type=String,Description="x">',
      '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
      ...records.map((record) => record.replaceAll(' ', '\t')),
      '',
    ].join('\n');
  const changesIn = ({ rows }: Made): string[] =>
    (rows.get('annotation_change') ?? []).map((row) =>
      ['chromosome', 'position', 'alternate', 'name', 'old_value', 'new_value']
        .map((name) => row[name] ?? '-')
        .join(' '),
    );

  test('lists alleles whose value differs, was added or was withdrawn, of the chromosomes in it', () =>
    inFolder(async (folder) => {
      const old = await convert(
        folder,
        clinvar(
          '2026-10-01',
          '1 10 . A C . . CLNSIG=Uncertain_significance',
          '1 20 . A C . . CLNSIG=Benign',
          '1 30 . A C . . CLNSIG=Benign',
          '2 10 . A C . . CLNSIG=Benign',
        ),
      );
      const text = clinvar(
        '2026-11-01',
        '1 9 . TA TC . . CLNSIG=Pathogenic',
        '1 20 . A C . . CLNSIG=Benign',
        '1 40 . A C . . CLNSIG=Benign',
      );
      const { earlier } = old;
      const made = await convert(folder, text, { earlier });
      assert.deepEqual(changesIn(made), [
        'chr1 10 C clinical_significance Uncertain_significance Pathogenic',
        'chr1 30 C clinical_significance Benign -',
        'chr1 40 C clinical_significance - Benign',
      ]);
      const [change] = made.rows.get('annotation_change') ?? [];
      assert.deepEqual([change?.['old_version'], change?.['new_version']], ['2026-10-01', '2026-11-01']);
    }));

  test('lists nothing if it is older, the same, or of another source', () =>
    inFolder(async (folder) => {
      const { earlier } = await convert(folder, clinvar('2026-10-01', '1 10 . A C . . CLNSIG=Benign'));
      const other = '1 10 . A C . . CLNSIG=Pathogenic';
      for (const [date, options] of [
        ['2026-09-01', {}],
        ['2026-10-01', {}],
        ['2026-11-01', { annotation: { source: 'ClinVar of the clinic' } }],
      ] as const)
        assert.deepEqual(changesIn(await convert(folder, clinvar(date, other), { earlier, options })), []);
    }));

  test('lists values of genes', () =>
    inFolder(async (folder) => {
      const panel = (status: number): string =>
        `Entity Name\tEntity type\tGene Symbol\tSources(; separated)\tLevel4\tGEL_Status\nBRCA1\tgene\tBRCA1\tx\tBreast\t${status}\n`;
      const options = (version: string) => ({ annotation: { source: 'Breast', version } });
      const { earlier } = await convert(folder, panel(2), { options: options('1') });
      const { rows } = await convert(folder, panel(3), { options: options('2'), earlier });
      const [change] = rows.get('annotation_change') ?? [];
      assert.deepEqual(
        [change?.['gene'], change?.['old_value'], change?.['new_value']],
        ['BRCA1', '2.0', '3.0'],
      );
    }));
});

describe('files of sources', () => {
  test('rows on another build are left out and counted, for the build that is asked for', () =>
    inFolder(async (folder) => {
      const kind = sourceKinds.find(({ name }) => name === 'clinvar-summary');
      assert.ok(kind);
      const [titles = '', row = ''] = kind.example.lines;
      const text = [titles, row, row.replace('GRCh38', 'GRCh37').replace('140753336', '140453136'), ''].join(
        '\n',
      );
      for (const [genomeBuild, position] of [
        ['GRCh37', 140453136],
        ['GRCh38', 140753336],
      ] as const) {
        const { rows, warnings } = await convert(folder, text, { options: { genomeBuild } });
        assert.deepEqual(
          rows.get('_annotation')?.map((one) => Number(one['position'])),
          [position],
        );
        assert.ok(
          warnings.some(({ message }) => message.startsWith('1 records are on another genome build')),
        );
      }
    }));

  test('an unknown table, an unknown kind, and a kind of another form are refused', () =>
    inFolder(async (folder) => {
      const annotation = (kind: string) => ({ options: { annotation: { kind } } });
      await assert.rejects(convert(folder, 'a,b\n1,2\n'), /no known annotation source/);
      await assert.rejects(
        convert(folder, 'a,b\n1,2\n', annotation('zq')),
        /There is no kind of annotation zq/,
      );
      await assert.rejects(convert(folder, 'a,b\n1,2\n', annotation('revel')), /has not the form of revel/);
    }));

  test('evidence against its conclusion is left out, and each other one keeps its parts together', () =>
    inFolder(async (folder) => {
      const text = [
        'molecular_profile\tdisease\ttherapies\tevidence_type\tevidence_direction\tevidence_level\tsignificance\tevidence_status',
        'BRAF V600E\tMelanoma\tVemurafenib\tPredictive\tSupports\tA\tSensitivity/Response\taccepted',
        'BRAF V600E\tColorectal Cancer\tVemurafenib\tPredictive\tSupports\tB\tResistance\taccepted',
        'BRAF V600E\tLung Cancer\tDabrafenib\tPredictive\tDoes Not Support\tB\tSensitivity/Response\taccepted',
        'BRAF V600E\tGlioma\tDabrafenib\tPredictive\tSupports\tC\tSensitivity/Response\tsubmitted',
        '',
      ].join('\n');
      const { rows } = await convert(folder, text, { file: '01-Nov-2026-ClinicalEvidenceSummaries.tsv' });
      const labels = (name: string): unknown[] =>
        (rows.get('annotation_value') ?? []).flatMap((row) => (row['name'] === name ? [row['label']] : []));
      assert.deepEqual(labels('evidence').toSorted(), [
        'A; Sensitivity/Response; Melanoma; Vemurafenib',
        'B; Resistance; Colorectal Cancer; Vemurafenib',
      ]);
      assert.deepEqual(labels('therapies'), ['Vemurafenib'], 'equal values of a gene are one row');
    }));

  test('a table whose first record names no build is read on GRCh38', () =>
    inFolder(async (folder) => {
      const kind = sourceKinds.find(({ name }) => name === 'clinvar-summary');
      assert.ok(kind);
      const [titles = '', row = ''] = kind.example.lines;
      const text = [titles, row.replace('GRCh38', 'na').replace('140753336', '-1'), row, ''].join('\n');
      const { rows } = await convert(folder, text);
      assert.deepEqual(
        rows.get('_annotation')?.map((one) => Number(one['position'])),
        [140753336],
      );
    }));
});
