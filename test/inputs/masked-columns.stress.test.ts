/** The sample project as its analysts see it with `readData` and with `readMaskedData` alone, column by column. */
import assert from 'node:assert/strict';
import { createHash, createHmac } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { tarGz } from '../../packages/converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../packages/converters/src/study/study-folder.fixture.ts';
import { type Column, maskedElements, sourceKinds, tables } from '../../packages/formats/src/index.ts';
import { openSecrets } from '../../packages/server/src/platform/secrets/index.ts';
import { openTestApp, type TestApp } from '../support/app.ts';
import { everyTable } from '../support/fhir/every-table.ts';
import { TestProject } from './project.ts';

const samples = join(import.meta.dirname, '../../samples/data');
const dayMs = 24 * 60 * 60_000;

/** Identifying values: every resource id, and numbers, names, contacts, dates and pictures of patients. */
function identifiersOf(resources: string): string[] {
  const found = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string' && value.length >= 5) found.add(value);
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect);
  };
  for (const line of resources.trimEnd().split('\n')) {
    const resource = JSON.parse(line);
    collect([resource.id, resource.accessionIdentifier?.value, resource.lotNumber]);
    for (const { value } of resource.identifier ?? []) collect(value);
    if (resource.resourceType !== 'Patient') continue;
    for (const { family, given } of resource.name ?? []) collect([family, given]);
    for (const { value } of resource.telecom ?? []) collect(value);
    for (const { line: street, city, postalCode } of resource.address ?? [])
      collect([street, city, postalCode]);
    collect(resource.birthDate);
  }
  return [...found];
}

/** Fields of a CSV (RFC 4180) with its header; quotes distinguish an empty string from NULL. */
function readCsv(text: string): { header: string[]; rows: (string | null)[][] } {
  const lines: (string | null)[][] = [[]];
  for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)) {
    lines.at(-1)?.push(quoted?.replaceAll('""', '"') ?? (plain === '' ? null : (plain ?? null)));
    if (end === '\n') lines.push([]);
  }
  const [header = [], ...rows] = lines.slice(0, -1);
  return { header: header.map(String), rows };
}

/** Two releases of ClinVar that differ, and values of another source. */
function annotationFiles(): [name: string, text: string][] {
  const releases = ['Benign', 'Pathogenic'].map((word, at): [string, string] => {
    const header = `##fileformat=VCFv4.1\n##fileDate=2026-1${at}-01\n##source=ClinVar\n##INFO=<ID=CLNSIG,Number=.,Type=String,Description="x">`;
    return [
      `clinvar-${at}.vcf`,
      `${header}\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n1\t10\t.\tA\tC\t.\t.\tCLNSIG=${word}\n`,
    ];
  });
  const scores = sourceKinds.find(({ name }) => name === 'alphamissense');
  return [...releases, ['missense.tsv', `${scores?.example.lines.join('\n')}\n`]];
}

describe('masked columns', () => {
  let app: TestApp;
  let real: TestProject;
  let masked: TestProject;
  let identifiers: string[];
  /** Every answer to the reader of masked data. */
  let reported = '';

  before(async () => {
    app = await openTestApp({ PLOIDY_IDLE_WORKERS: '2' });
    real = await TestProject.make(app.call, 'Columns');
    const resources = everyTable()
      .map((one) => `${JSON.stringify(one)}\n`)
      .join('');
    identifiers = identifiersOf(resources);
    await real.take('sample.ndjson', resources);
    for (const name of ['SYN0001.vcf', 'SYN0002.vcf'])
      await real.take(name, readFileSync(join(samples, 'vcf', name)));
    for (const name of readdirSync(join(samples, 'omic')))
      await real.take(name, readFileSync(join(samples, 'omic', name)));
    await real.take('study.tar.gz', tarGz(studyFolder(30).files));
    for (const [name, text] of annotationFiles()) await real.take(name, text, { type: 'annotation' });
    const { key } = await app.people.member(app.account, ['readMaskedData']);
    masked = real.as((method, path, options) => app.call(method, path, { key, ...options }));
  });
  after(() => app.stop());

  // The members of cohorts are asked about in test/inputs/cohorts.stress.test.ts.
  const names = [...tables.keys()].filter((name) => name !== 'cohort');
  const hashes = new Map<string, string>();
  const shifts = new Map<string, number>();
  const answers = new Map<string, { real: ReturnType<typeof readCsv>; masked: ReturnType<typeof readCsv> }>();

  async function csvOf(project: TestProject, sql: string): Promise<string> {
    const end = await project.endOfQuery(await project.startQuery(sql));
    assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
    return project.read(end.id);
  }

  /** Hash of a value in the project, as `ploidy admin docs tables` describes it. */
  function hashOf(value: string): string {
    const { derive } = openSecrets({ path: join(app.folder, 'secrets', 'master.key'), create: false });
    const key = createHmac('sha256', derive('masks')).update(real.id).digest('hex');
    return createHash('sha256').update(`${key}:${value}`).digest('hex').slice(0, 32);
  }

  const isCode = (value: string): boolean => /^[\w.:/+-]{1,64}$/.test(value);

  /** Sorts rows by their masked values: masked data are in an order of their own. */
  function inOrder(
    rows: (string | null)[][],
    columns: readonly Column[],
    isMasked: boolean,
  ): (string | null)[][] {
    const places = [...columns.keys()];
    const elementOf = ([type, , , path]: (string | null)[]): string => `${type} ${path}`;
    const shown = (row: (string | null)[], value: string | null, { mask }: Column): string | null => {
      const isElement = mask === 'element' || mask === 'elementCode';
      if (isElement && !isMasked && !maskedElements.includes(elementOf(row))) return null;
      if (value === null || mask === 'null' || mask === 'year') return null;
      if (mask === 'hash') return isMasked ? value : hashOf(value);
      if (mask === 'shown' && !isMasked && row.at(-1) !== 'true') return null;
      return ['code', 'coded', 'elementCode'].includes(mask) && !isCode(value) ? null : value;
    };
    // Dates of one patient keep their order, so they decide last.
    const byDate = (of: Column): number => Number(of.mask === 'shift');
    places.sort((a, b) => byDate(columns[a] as Column) - byDate(columns[b] as Column));
    const keyed = rows.map((row) => ({
      row,
      key: JSON.stringify(places.map((at) => shown(row, row[at] ?? null, columns[at] as Column))),
    }));
    return keyed.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key))).map(({ row }) => row);
  }

  const rules: Record<
    Column['mask'],
    (value: string | null, shown: string | null, patient: string | null, element: string) => void
  > = {
    none: (value, shown) => assert.equal(shown, value),
    null: (_, shown) => assert.equal(shown, null),
    code: (value, shown) => assert.equal(shown, value !== null && isCode(value) ? value : null),
    // The sample has codings for all of them.
    coded: (value, shown) => assert.equal(shown, value !== null && isCode(value) ? value : null),
    hash: (value, shown) => {
      if (value === null) return assert.equal(shown, null);
      assert.match(String(shown), /^[0-9a-f]{32}$/);
      assert.equal(hashes.get(value) ?? shown, shown, 'the same value has the same hash everywhere');
      hashes.set(value, String(shown));
    },
    element: (value, shown, _, element) =>
      assert.equal(shown, maskedElements.includes(element) ? value : null),
    elementCode: (value, shown, _, element) =>
      assert.equal(shown, maskedElements.includes(element) && value !== null && isCode(value) ? value : null),
    // The last column is `is_shown`.
    shown: (value, shown, _, element) => assert.equal(shown, element === 'true' ? value : null),
    // The sample holds none but categories.
    omb: (value, shown) => assert.equal(shown, value),
    year: (value, shown) => {
      const oldest = new Date().getUTCFullYear() - 90;
      const year = value === null ? null : Math.max(Number(value.slice(0, 4)), oldest);
      assert.equal(shown, year === null ? null : `${year}-01-01`);
    },
    shift: (value, shown, patient) => {
      if (value === null || patient === null) return assert.equal(shown, null);
      const days = (Date.parse(value) - Date.parse(String(shown))) / dayMs;
      assert.ok(days >= 1 && days <= 364, `${days} days`);
      assert.equal(shifts.get(patient) ?? days, days, 'the dates of one patient keep their distances');
      shifts.set(patient, days);
    },
  };

  for (const name of names) {
    // asvs: 8.2.3, 14.2.4
    test(`every column of ${name} is masked by its rule`, async () => {
      const [own, shown] = await Promise.all(
        [real, masked].map((one) => csvOf(one, `SELECT * FROM ${name}`)),
      );
      reported += shown;
      const answer = { real: readCsv(own ?? ''), masked: readCsv(shown ?? '') };
      assert.ok(answer.real.rows.length > 0);
      answers.set(name, answer);
      const columns = tables.get(name)?.columns ?? [];
      assert.deepEqual(
        answer.masked.header,
        columns.map((column) => column.name),
      );
      assert.equal(answer.masked.rows.length, answer.real.rows.length);
      const patientAt = answer.real.header.indexOf('patient_id');
      const maskedRows = inOrder(answer.masked.rows, columns, true);
      for (const [row, values] of inOrder(answer.real.rows, columns, false).entries()) {
        for (const [at, column] of columns.entries()) {
          const patient = patientAt < 0 ? null : (values[patientAt] ?? null);
          const element = name === 'coding' ? `${values[0]} ${values[3]}` : String(values.at(-1));
          rules[column.mask](values[at] ?? null, maskedRows[row]?.[at] ?? null, patient, element);
        }
      }
    });
  }

  test('different values have different hashes, and different patients different shifts', () => {
    assert.equal(new Set(hashes.values()).size, hashes.size);
    assert.ok(new Set(shifts.values()).size > shifts.size / 2, [...shifts.values()].join());
  });

  test('joins over masked ids have as many rows as over the real ones', async () => {
    const joins = names
      .filter((name) => name !== 'patient' && answers.get(name)?.real.header.includes('patient_id'))
      .map((name) => `(SELECT count(*) FROM ${name} JOIN patient USING (patient_id))`);
    const sql = `SELECT ${joins.join(', ')}, (SELECT count(*) FROM variant v JOIN sequence s ON v.sample_id = s.id
      JOIN patient p ON p.patient_id = s.patient_id), (SELECT count(*) FROM specimen a JOIN specimen b ON a.parent_id = b.id),
      (SELECT count(*) FROM dosage d JOIN medication m ON d.medication_id = m.id),
      (SELECT count(*) FROM observation o JOIN specimen s ON o.specimen_id = s.id),
      (SELECT count(*) FROM procedure p JOIN condition c USING (encounter_id))`;
    const counts = await real.ask(sql);
    assert.deepEqual(await masked.ask(sql), counts);
    assert.doesNotMatch(counts[0] ?? '', /^0|,0,/);
  });

  test('statements show nothing that identifies, whatever they do with rows and names', async () => {
    const statements = [
      'SELECT patient, to_json(patient), list(patient) OVER () FROM patient',
      "SELECT COLUMNS('.*') FROM demographic",
      'SELECT CAST(id AS DATE) FROM observation',
      'SELECT error(to_json(p)) FROM patient p',
      'SELECT error(accession_identifier || parent_id) FROM specimen',
      'SELECT histogram(patient_id), approx_top_k(city, 5), min(birth_date), max(birth_date) FROM demographic',
      'SELECT r._subject FROM observation AS r',
      'SELECT _patient FROM observation',
    ];
    for (const sql of statements) {
      // An immediate refusal is in the message of the assertion.
      const started = await masked.startQuery(sql).catch((refusal: Error) => refusal);
      if (started instanceof Error) {
        reported += started.message;
        continue;
      }
      const end = await masked.endOfQuery(started);
      reported += `${JSON.stringify(end.error)}\n${end.state === 'succeeded' ? await masked.read(end.id) : ''}`;
    }
    assert.ok(reported.length > 100_000);
    // A name may also be a word of a language: it counts as a word of its own.
    const literally = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const found = identifiers.filter((one) =>
      new RegExp(`(?<![\\w.-])${literally(one)}(?![\\w.-])`).test(reported),
    );
    assert.deepEqual(found, []);
  });
});
