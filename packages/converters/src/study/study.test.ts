/** Study folders of cBioPortal: SQL answers what the generator of the folder wrote. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Account } from '@ploidy/formats';
import { keptSql } from '../../../../test/support/kept-sql.ts';
import type { ConvertedTable, Warning } from '../../../engine/src/conversion.ts';
import { recognise } from '../recognise.ts';
import { tarGz, zip } from './archives.fixture.ts';
import { convertStudy } from './convert.ts';
import { type StudyFolder, studyFolder } from './study-folder.fixture.ts';

interface Converted {
  tables: ConvertedTable[];
  warnings: string[];
  account: Account | undefined;
  rows(sql: string): Promise<string[]>;
}

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ploidy-study-'));
});
after(() => rm(folder, { recursive: true }));

let count = 0;

/** Converts an archive; statements name the tables that it made. */
async function converted(archive: Buffer): Promise<Converted> {
  const sql = await keptSql(256 << 20);
  count += 1;
  const outputFolder = join(folder, `out${count}`);
  const sourcePath = join(folder, `study${count}`);
  await mkdir(outputFolder);
  await writeFile(sourcePath, archive);
  const warnings: Warning[] = [];
  let account: Account | undefined;
  const task = { type: 'cbioportal', sourcePath, sourceSize: archive.length, sourceName: 'study.tar.gz' };
  const tables = await convertStudy({ ...task, outputFolder, setId: 'set', options: {} }, sql, {
    progress: () => undefined,
    warn: (warning) => warnings.push(warning),
    account: (given) => {
      account = given;
    },
  });
  return {
    tables,
    warnings: warnings.map(({ message }) => message),
    account,
    async rows(statement) {
      const text = statement.replace(/\b(from|join) (\w+)/gi, (whole, word, name) => {
        const made = tables.find(({ table }) => table === name);
        return made ? `${word} read_parquet('${made.path}')` : whole;
      });
      const rows = await sql.rows(text);
      return rows
        .map((row) =>
          Object.values(row)
            .map((value) => String(value ?? '-'))
            .join('|'),
        )
        .sort();
    },
  };
}

describe('a study of 500 samples with the deviations of public ones', () => {
  let made: Converted;
  let study: StudyFolder;

  before(async () => {
    study = studyFolder(500, 7, true);
    made = await converted(tarGz(study.files));
  });

  test('patients and samples are those of the folder', async () => {
    const { truth } = study;
    assert.deepEqual(await made.rows('SELECT patient_id, gender FROM demographic'), truth.patients.sort());
    assert.deepEqual(await made.rows('SELECT id, patient_id FROM sequence'), truth.samples.sort());
  });

  test('every value of every attribute is there, and the computed ones', async () => {
    const values = await made.rows('SELECT attribute_id, patient_id, sample_id, value FROM attribute_value');
    assert.deepEqual(values, study.truth.values.sort());
    assert.deepEqual(
      await made.rows(
        "SELECT attribute_id, level, type, priority FROM attribute WHERE attribute_id IN ('AGE', 'TMB', 'FRESH', 'SEX')",
      ),
      ['AGE|patient|number|9', 'FRESH|sample|boolean|1', 'SEX|patient|string|9', 'TMB|sample|number|1'],
    );
    assert.deepEqual(
      await made.rows("SELECT DISTINCT number, value FROM attribute_value WHERE value IN ('>89', 'high')"),
      ['-|high', '89|>89'],
    );
  });

  test('alterations are those of the mutations, levels and structural variants', async () => {
    const { truth } = study;
    assert.deepEqual(
      await made.rows(
        "SELECT sample_id, gene, class, position, status, printf('%.4f', allele_fraction), driver FROM alteration WHERE kind = 'mutation'",
      ),
      truth.mutations.sort(),
    );
    assert.deepEqual(
      await made.rows("SELECT sample_id, gene, class FROM alteration WHERE kind = 'copy_number'"),
      truth.levels.sort(),
    );
    assert.deepEqual(
      await made.rows("SELECT sample_id, gene, partner_gene FROM alteration WHERE kind = 'fusion'"),
      truth.fusions.sort(),
    );
  });

  test('samples are examined as lists, panels and files name them', async () => {
    assert.deepEqual(
      await made.rows('SELECT sample_id, kind, panel_id FROM sample_profile'),
      study.truth.profiles.sort(),
    );
    assert.deepEqual(await made.rows("SELECT DISTINCT assay FROM sample_profile WHERE kind = 'mutation'"), [
      'exome',
      'panel',
    ]);
    assert.deepEqual(await made.rows('SELECT panel_id, gene FROM gene_panel'), [
      'IMPACT|BRAF',
      'IMPACT|EGFR',
      'IMPACT|KRAS',
      'IMPACT|TP53',
    ]);
  });

  test('events have their days, and expression its values', async () => {
    assert.deepEqual(
      await made.rows('SELECT patient_id, type, start_day, attributes FROM timeline_event'),
      study.truth.events.sort(),
    );
    assert.deepEqual(
      await made.rows(
        "SELECT sample_id, gene_name, gene_id, printf('%.4f', expression), expression_unit, attributes FROM gene",
      ),
      study.truth.expression.sort(),
    );
  });

  test('copies of a gene and sample are one row of levels, ratios and values without a unit', async () => {
    assert.deepEqual(
      await made.rows(
        "SELECT sample_id, gene, printf('%.4f', copy_number), attributes FROM copynumber WHERE gene IS NOT NULL",
      ),
      study.truth.copies.sort(),
    );
  });

  test('positions are on hg19, as the format has it without a reference genome', () => {
    assert.deepEqual(
      new Set(made.tables.map(({ genomeBuild }) => genomeBuild)),
      new Set([undefined, 'GRCh37']),
    );
  });

  test('a file that is not taken is listed with its reason', () => {
    const unread = (made.account?.unread ?? []).map(({ name }) => name).join('\n');
    for (const reason of [
      /data_methylation.txt: METHYLATION of CONTINUOUS has no table/,
      /data_log2_cna.txt: it is a pointer of Git LFS/,
      /meta_gone.txt: its data_filename is not in the archive/,
      /meta_study.txt: citation: a fact of the study/,
      /MUTATION_COUNT: it is computed/,
      /rae.txt: a larger file has values of this kind/,
      /array.txt: a larger file has values of this kind/,
    ])
      assert.match(unread, reason);
    const left = (made.account?.leftOut ?? []).map(({ name }) => name).join('\n');
    for (const reason of [
      /a second row of the same patient/,
      /no whole number of days/,
      /a further line of the same gene/,
      /ratio.txt: a line with more or fewer fields/,
    ])
      assert.match(left, reason);
    for (const reason of [
      /bytes 0 were left out/,
      /1 values of TMB are not of its type/,
      /Columns without a value of a sample are no samples: 1/,
      /samples of lists and panels are in no other file/,
    ])
      assert.ok(
        made.warnings.some((text) => reason.test(text)),
        `${reason} in ${made.warnings.join('\n')}`,
      );
  });

  test('masked readers see shared texts and no age above 89', async () => {
    assert.deepEqual(
      await made.rows(
        "SELECT DISTINCT value FROM attribute_value WHERE attribute_id = 'SAMPLE_TYPE' AND NOT is_shown",
      ),
      [],
    );
    assert.deepEqual(
      await made.rows(
        "SELECT count(*) FROM attribute_value WHERE is_shown AND attribute_id = 'AGE' AND number > 89",
      ),
      ['0'],
    );
  });
});

describe('archives', () => {
  test('a ZIP has the same rows as a tar', async () => {
    const { files } = studyFolder(20);
    const [one, other] = [await converted(tarGz(files)), await converted(zip(files))];
    for (const { table } of one.tables.filter((each) => !each.table.startsWith('_')))
      assert.deepEqual(
        await other.rows(`SELECT * FROM ${table}`),
        await one.rows(`SELECT * FROM ${table}`),
        table,
      );
  });

  test('an archive of a study is recognised, another is not', async () => {
    const { files } = studyFolder(3);
    for (const [name, bytes] of [
      ['a', tarGz(files)],
      ['b', zip(files)],
    ] as const) {
      await writeFile(join(folder, name), bytes);
      assert.equal(await recognise(join(folder, name), name), 'cbioportal');
    }
    for (const pack of [tarGz, zip]) {
      await writeFile(join(folder, 'other'), pack({ 'xl/workbook.xml': '<x/>' }));
      await assert.rejects(recognise(join(folder, 'other'), 'other'), /archive/);
    }
  });

  test('no study, several studies and broken archives are refused with their reason', async () => {
    const { files } = studyFolder(3);
    await assert.rejects(converted(tarGz({ 'a.txt': 'x' })), /holds no study of cBioPortal/);
    const second = { 'other/meta_study.txt': files['study/meta_study.txt'] ?? '' };
    await assert.rejects(converted(tarGz({ ...files, ...second })), /several studies/);
    await assert.rejects(converted(zip(files).subarray(0, 500)), /damaged|truncated|no ZIP/);
    await assert.rejects(converted(tarGz(files).subarray(0, 900)), /too early/);
  });

  test('samples that only a list names are not examined where the data are missing', async () => {
    const { files } = studyFolder(10);
    files['study/data_mutations.txt'] = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n';
    const made = await converted(tarGz(files));
    assert.deepEqual(await made.rows("SELECT count(*) FROM sample_profile WHERE kind = 'mutation'"), ['0']);
  });
});
