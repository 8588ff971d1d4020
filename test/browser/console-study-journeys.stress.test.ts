/** Whole ways of a researcher through a study of 500 samples, each number compared with the generator of its folder. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { zip } from '../../packages/converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../packages/converters/src/study/study-folder.fixture.ts';
import { firstUser } from '../../packages/server/src/domains/authentication/sign-in/tests/signed-in.fixture.ts';
import { describePages, openChromium } from './chromium.ts';
import { fitsAndHasNoBarriers, ingest, visit } from './console-people.ts';

const made = studyFolder(500);
const samples = made.truth.samples.map((line) => line.split('|') as [sample: string, patient: string]);
const patientOf = new Map(samples);
const patients = new Set(patientOf.values());
const types = ['Melanoma', 'Lung Cancer', 'Glioma'];
const changes = ['V600E', 'V600E', 'V600K', 'G469A'];
const agents = ['Dabrafenib', 'Trametinib', 'Cisplatin'];

const melanoma = new Set(samples.filter((_, at) => at % 3 === 0).map(([, patient]) => patient));
/** Patients by the change of BRAF in one of their samples. Silent ones and those outside of the protein do not count. */
const carriers = new Map<string, Set<string>>(changes.map((change) => [change, new Set()]));
const treated = (agent: number, toDay = 1000): Set<string> =>
  new Set([...patients].filter((_, at) => at % agents.length === agent && at % 50 <= toDay));

/** Returns the folder with types of cancer, changes of BRAF and treatments. */
function study(): Record<string, string> {
  const linesOf = (name: string): string[] => (made.files[`study/${name}`] ?? '').trimEnd().split('\n');
  const titles = ['Cancer Type', 'Type of cancer', 'STRING', '3000', 'CANCER_TYPE'];
  const clinical = linesOf('data_clinical_sample.txt').map(
    (line, at) => `${line}\t${titles[at] ?? types[(at - titles.length) % types.length]}`,
  );
  let mutations = 0;
  const mutated = linesOf('data_mutations.txt').map((line) => {
    if (!line.startsWith('BRAF\t')) return line;
    const change = changes[mutations % changes.length] ?? '';
    mutations += 1;
    const fields = line.split('\t');
    const [kind = '', sample = ''] = [fields[7], fields[11]];
    if (!['Silent', 'Intron', "3'UTR"].includes(kind)) carriers.get(change)?.add(patientOf.get(sample) ?? '');
    return line.replace('p.R1H', `p.${change}`);
  });
  const events = [...patients].map((patient, at) =>
    [patient, at % 50, (at % 50) + 10, 'TREATMENT', agents[at % agents.length]].join('\t'),
  );
  return {
    ...made.files,
    'study/data_clinical_sample.txt': clinical.join('\n'),
    'study/data_mutations.txt': mutated.join('\n'),
    'study/data_timeline.txt': ['PATIENT_ID\tSTART_DATE\tSTOP_DATE\tEVENT_TYPE\tAGENT', ...events].join('\n'),
  };
}

describePages('ways of a researcher through a study', (app) => {
  let browser: Browser;
  let project: string;
  before(async () => {
    browser = await openChromium();
    project = (await app.call('POST', '/v1/projects', { body: { name: 'Melanoma' } })).body.id;
    await ingest(app, project, 'study.zip', zip(study()), { type: 'cbioportal' });
  });
  after(() => browser?.close());

  const counted = (page: Page, number: number) =>
    page
      .getByText(new RegExp(`^${number}${number === patients.size ? '' : ` of ${patients.size}`} subjects`))
      .waitFor();
  const listed = async (page: Page): Promise<number> => {
    await page.getByRole('tab', { name: 'Subjects' }).click();
    const table = page.getByRole('table', { name: 'Subjects' });
    await table.waitFor();
    return Number(await table.getAttribute('aria-rowcount')) - 1;
  };
  /** Number at the end of the name of a bar or button. */
  const numberOf = async (button: Locator): Promise<number> => {
    const text = (await button.getAttribute('aria-label')) ?? (await button.innerText());
    const [, number = ''] = /(\d[\d,]*)(?: · [<\d.]+%)?$/.exec(text.trim()) ?? [];
    return Number(number.replaceAll(',', ''));
  };

  test('melanoma with BRAF V600E becomes a cohort, which a colleague opens with the same list', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    await counted(page, patients.size);
    await page
      .getByRole('group', { name: 'Cancer Type' })
      .getByRole('button', { name: /^Melanoma/ })
      .click();
    await counted(page, melanoma.size);
    await page.getByRole('button', { name: 'Condition', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Add a condition' });
    await form.getByRole('combobox', { name: 'Gene' }).fill('BRAF');
    await form.getByRole('combobox', { name: 'Protein change or codon' }).fill('V600E');
    await page.getByRole('option', { name: 'V600E', exact: true }).click();
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    const wanted = melanoma.intersection(carriers.get('V600E') ?? new Set());
    assert.ok(wanted.size > 5 && wanted.size < melanoma.size);
    await counted(page, wanted.size);
    assert.equal(await listed(page), wanted.size);
    await page.getByRole('button', { name: 'Save as cohort' }).click();
    await page.getByLabel('Name').fill('Melanoma V600E');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The cohort Melanoma V600E is saved.').waitFor();
    const { userId } = await app.people.member(app.account, ['readData']);
    const { page: colleague, faults: others } = await visit(browser, app, userId);
    await colleague.goto(page.url());
    await counted(colleague, wanted.size);
    assert.equal(await listed(colleague), wanted.size);
    await colleague.goto(`${app.address}/projects/${project}/cohorts`);
    await colleague.getByRole('link', { name: 'Melanoma V600E' }).first().click();
    await counted(colleague, wanted.size);
    assert.equal(await listed(colleague), wanted.size);
    assert.deepEqual([...faults, ...others], []);
  });

  test('a residue along the protein leads to its carriers', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    await page.getByRole('region', { name: 'Mutated genes' }).getByRole('link', { name: 'BRAF' }).click();
    const drawing = page.getByRole('group', { name: /^Changes of the protein of BRAF/ });
    await drawing.waitFor();
    const gene = page.url();
    for (const change of ['V600E', 'G469A']) {
      await drawing.getByRole('button', { name: new RegExp(change) }).click();
      await page.getByRole('button', { name: `${change} ×` }).waitFor();
      const number = carriers.get(change)?.size ?? 0;
      await page.getByRole('link', { name: `${number} subjects`, exact: true }).click();
      await counted(page, number);
      assert.equal(await listed(page), number);
      await page.goto(gene);
    }
    assert.deepEqual(faults, []);
  });

  test('subjects are chosen by a drug in a range of days', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}`);
    await page.getByRole('button', { name: 'Condition', exact: true }).click();
    const form = page.getByRole('dialog', { name: 'Add a condition' });
    await form.getByRole('tab', { name: 'Treatment' }).click();
    await form.getByRole('combobox', { name: 'Treated with any of' }).fill('Dabra');
    await page.getByRole('option', { name: `Dabrafenib (${treated(0).size})` }).click();
    await form.getByLabel('To day').fill('20');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await counted(page, treated(0, 20).size);
    await page.getByRole('group', { name: 'Treated with Dabrafenib, up to day 20', exact: true }).waitFor();
    assert.deepEqual(faults, []);
  });

  for (const privilege of ['readData', 'readMaskedData'] as const)
    test(`each number of new charts opens a list of as many, with ${privilege}`, async () => {
      const { userId } = await app.people.member(app.account, [privilege]);
      const { page, faults } = await visit(browser, app, userId);
      const charts = ['treatments', 'profiles', 'CASE_LIST', 'pair:CANCER_TYPE:SEX'].map((id) => `${id}~22`);
      const start = `${app.address}/projects/${project}?charts=${encodeURIComponent(charts.join('|'))}`;
      let tried = 0;
      for (let at = 0; at < charts.length; at += 1) {
        await page.goto(start);
        await counted(page, patients.size);
        const buttons = page
          .getByRole('region')
          .filter({ has: page.getByRole('button', { name: /^Chart / }) });
        const choices = buttons.nth(at).locator('[aria-pressed]');
        // Agents of a timeline are hidden from readers of masked data.
        if (at === 0 && privilege === 'readMaskedData') continue;
        await choices.first().waitFor();
        for (const choice of [choices.first(), choices.last()]) {
          const number = await numberOf(choice);
          await choice.press('Enter');
          await counted(page, number);
          assert.equal(await listed(page), number, `${charts[at]}`);
          await page.goto(start);
          await choices.first().waitFor();
          tried += 1;
        }
      }
      assert.ok(tried >= 6, `${tried} numbers`);
      assert.deepEqual(faults, []);
    });

  test('two attributes are drawn by their types, at each width', async () => {
    const { page, faults } = await visit(browser, app, await firstUser(app));
    await page.goto(`${app.address}/projects/${project}?charts=%7C`);
    await page.getByRole('button', { name: 'Add charts' }).click();
    const dialogue = page.getByRole('dialog', { name: 'Add charts' });
    await dialogue.getByRole('tab', { name: 'Two attributes' }).click();
    const choose = async (label: string, name: string): Promise<void> => {
      await dialogue.getByRole('combobox', { name: label }).fill(name);
      await page.getByRole('option', { name, exact: true }).filter({ visible: true }).first().click();
    };
    for (const [x, y] of [
      ['TMB', 'Mutation Count'],
      ['Cancer Type', 'Fraction Genome Altered'],
      ['Type', 'Case list'],
    ] as const) {
      await choose('Across', x);
      await choose('Up, or in columns', y);
      await dialogue.getByRole('button', { name: 'Add', exact: true }).click();
    }
    await page.keyboard.press('Escape');
    const dots = page.getByRole('region', { name: 'Mutation Count by TMB' });
    await dots.getByText(/^[\d,]+ pairs of values, Pearson/).waitFor();
    await page
      .getByRole('region', { name: 'Fraction Genome Altered by Cancer Type' })
      .getByText(/boxes are/)
      .waitFor();
    const table = page.getByRole('table', { name: 'Case list by Type' });
    await table.getByRole('columnheader', { name: 'Responders' }).waitFor();
    await fitsAndHasNoBarriers(page, 'study-pairs');
    assert.deepEqual(faults, []);
  });
});
