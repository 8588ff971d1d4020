/** Numbers of a study are the lengths of the lists that a click on them opens, for every reader. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { zip } from '../../packages/converters/src/study/archives.fixture.ts';
import { studyFolder } from '../../packages/converters/src/study/study-folder.fixture.ts';
import { describeOnSqlite } from '../support/app.ts';
import { type Call, TestProject } from './project.ts';
import { type ReaderName, readerNames, readersOf } from './readers.ts';

type Unit = 'patient' | 'sample';
type Conditions = readonly { is: object }[];
interface Attribute {
  id: string;
  type: string;
}
interface Placed {
  id: string;
  width: number;
  height: number;
  setting?: string;
}
interface Result {
  genes?: { items: { gene: string; class?: string; altered: number | null }[] };
  table?: { cells: { row: string; column: string; count: number | null }[] };
}
type Choice = Readonly<Record<string, string | undefined>>;

/** Parts of the console that read numbers and build the lists behind them. Their own types are those of a browser. */
interface Console {
  barsOf(charted: object): { name: string; count: number | null; choose?: () => void }[];
  cellNode(pair: object, row: string, column: string): object;
  courseCharts: ReadonlyMap<string, object>;
  geneCharts: ReadonlyMap<string, object>;
  geneLeaf(placed: Placed, item: object): object;
  nodeOf(conditions: Conditions): object;
  pairId(x: string, y: string): string;
  pairOf(id: string, attributes: readonly Attribute[]): object | undefined;
  resultsIn(...of: [answer: unknown, unit: Unit, conditions: Conditions, charts: readonly Placed[]]): {
    charts: ReadonlyMap<string, { result?: Result }>;
    labels: object;
  };
  studyBody(
    ...of: [string, unit: Unit, conditions: Conditions, charts: readonly Placed[], readonly Attribute[]]
  ): object;
  toggleLeaf(conditions: Conditions, is: object): Conditions;
  variantWhere(choice: Choice): object | undefined;
}

const part = async (path: string): Promise<Partial<Console>> =>
  import(new URL(`../../packages/console/src/${path}.ts`, import.meta.url).href);
const paths = ['bars', 'charts', 'layout'].map((name) => `pages/study/${name}`);
const read = [...paths, 'pages/variants/conditions', 'study/conditions', 'study/pair-charts'].map(part);
const parts: Console = Object.assign({}, ...(await Promise.all(read)));
const { barsOf, cellNode, courseCharts, geneCharts, geneLeaf, nodeOf, pairId, pairOf } = parts;
const { resultsIn, studyBody, toggleLeaf, variantWhere } = parts;

const made = studyFolder(60);
const people = [...new Set(made.truth.samples.map((line) => line.split('|')[1] ?? ''))];

/** Number of a chart, the conditions after a click on it, and the unit that it counts. */
interface Figure {
  name: string;
  count: number;
  conditions: Conditions;
  unit: Unit;
}

const chart = (id: string, setting = ''): Placed => ({
  id,
  width: 1,
  height: 1,
  ...(setting && { setting }),
});

/** Lists all charts that the console has for these attributes, in each of their settings. */
function chartsOf(attributes: readonly Attribute[]): Placed[] {
  const categories = attributes.filter(({ type }) => type !== 'number').map(({ id }) => id);
  return [
    ...attributes.flatMap(({ id, type }) =>
      (type === 'number' ? ['', 'q', 'm', 'l'] : ['']).map((setting) => chart(id, setting)),
    ),
    ...[...geneCharts.keys()].flatMap((id) => ['', 'd', 'p', 'a'].map((setting) => chart(id, setting))),
    ...[...courseCharts.keys()].map((id) => chart(id)),
    ...categories.map((id, at) => chart(pairId(id, categories[(at + 1) % categories.length] ?? id))),
  ];
}

describeOnSqlite('figures of the console and their lists', (app) => {
  let project: TestProject;
  let readers: Record<ReaderName, Call>;

  before(async () => {
    project = await TestProject.make(app.call, 'Figures');
    await project.take('study.zip', zip(made.files), { type: 'cbioportal' });
    readers = await readersOf(app, people);
  });

  /** Asks for the charts as the page does, one of each id at a time, and reads their numbers. */
  async function figuresOf(
    call: Call,
    unit: Unit,
    conditions: Conditions,
    attributes: Attribute[],
    charts: Placed[],
  ) {
    const body = studyBody(project.id, unit, conditions, charts, attributes);
    const answer = await call('POST', '/v1/analytics/study/query', { body });
    assert.equal(answer.status, 200, answer.text);
    const page = resultsIn(answer.body, unit, conditions, charts);
    return charts.flatMap((placed): Figure[] => {
      const result = page.charts.get(placed.id)?.result;
      const name = `${placed.id}~${placed.setting ?? ''}`;
      const figure = (
        item: string,
        count: number | null | undefined,
        next: Conditions,
        of = unit,
      ): Figure[] =>
        // A click on what is chosen removes it.
        typeof count === 'number' && next.length >= conditions.length
          ? [{ name: `${name} ${item}`, count, conditions: next, unit: of }]
          : [];
      const pair = pairOf(placed.id, attributes);
      if (result?.genes)
        return result.genes.items.flatMap((item) =>
          figure(`${item.gene} ${item.class}`, item.altered, toggleLeaf(conditions, geneLeaf(placed, item))),
        );
      if (pair && result?.table)
        return result.table.cells.flatMap(({ row, column, count }) =>
          figure(`${row} ${column}`, count, toggleLeaf(conditions, cellNode(pair, row, column))),
        );
      const attribute = attributes.find(({ id }) => id === placed.id);
      const asOf = placed.id === 'events' || placed.id === 'treatments' ? 'patient' : unit;
      let clicked: Conditions = [];
      const charted = { placed, attribute, result, labels: page.labels, conditions };
      const bars = barsOf({ ...charted, change: (next: Conditions) => (clicked = next) });
      return bars.flatMap(({ name: bar, count, choose }) => {
        if (!choose) return [];
        choose();
        return figure(bar, count, clicked, asOf);
      });
    });
  }

  /** Counts the subjects of the lists that the figures open. */
  async function listed(call: Call, figures: readonly Figure[], unit: Unit): Promise<number[]> {
    const counts: number[] = [];
    for (let at = 0; at < figures.length; at += 10) {
      const groups = figures
        .slice(at, at + 10)
        .map(({ conditions }, place) => ({ id: `g${place}`, filter: nodeOf(conditions) }));
      const body = {
        datasetId: project.id,
        unit,
        filter: { and: [] },
        aggregates: [],
        groups,
        overlap: 'include',
      };
      const answer = await call('POST', '/v1/analytics/study/query', { body });
      assert.equal(answer.status, 200, answer.text);
      for (const [place, { matched }] of answer.body.groups.entries())
        counts.push(matched[figures[at + place]?.unit === 'sample' ? 'samples' : 'patients']);
    }
    return counts;
  }

  for (const name of readerNames)
    test(`each number that ${name} sees is that of its list, before and after a filter`, async () => {
      const call = readers[name];
      const found = await call('GET', `/v1/analytics/study/attributes?datasetId=${project.id}`);
      assert.equal(found.status, 200, found.text);
      const attributes: Attribute[] = found.body.attributes;
      const all = chartsOf(attributes);
      const settings = [...new Set(all.map(({ setting }) => setting))];
      let compared = 0;
      for (const unit of ['patient', 'sample'] as const) {
        const filters: Conditions[] = [[]];
        for (let at = 0; at < filters.length; at += 1) {
          const conditions = filters[at] ?? [];
          const figures = (
            await Promise.all(
              settings.map((one) =>
                figuresOf(
                  call,
                  unit,
                  conditions,
                  attributes,
                  all.filter(({ setting }) => setting === one),
                ),
              ),
            )
          ).flat();
          const counts = await listed(call, figures, unit);
          const own = new Set(conditions.flatMap(({ is }) => ('attribute' in is ? is.attribute : [])));
          const differing = figures.flatMap(({ name: figure, count }, place) =>
            // The bars of a chart with a choice count without it: a second one is an alternative.
            counts[place] === count || [...own].some((id) => figure.startsWith(`${id}~`))
              ? []
              : [`${unit} ${figure}: ${count} shown, ${counts[place]} listed`],
          );
          assert.deepEqual(differing, [], JSON.stringify(conditions));
          compared += figures.length;
          if (at === 0) filters.push(...figures.filter((_, n) => n % 331 === 5).map((one) => one.conditions));
        }
      }
      assert.ok(compared > 500, `${compared} compared`);
    });

  test('carriers of variants under conditions are as many as their list has, for each reader', async () => {
    const rows = await project.ask(
      'SELECT DISTINCT gene, chromosome, position, ebcanon_class, sample_id FROM variant ORDER BY 1, 3, 5 LIMIT 40',
    );
    const choices = rows.flatMap((line): Choice[] => {
      const [gene = '', chromosome = '', position = '', consequence = '', sample = ''] = line.split(',');
      return [
        { gene },
        { gene, consequence },
        { region: `${chromosome}:${position}` },
        { sample, region: chromosome },
      ];
    });
    const chosen = choices.filter((_, at) => at % 7 === 0);
    for (const [name, call] of Object.entries(readers)) {
      let carriers = 0;
      for (const choice of chosen) {
        const where = variantWhere(choice);
        const query = { target: 'patient', domain: 'count', where };
        const shown = await call('POST', '/v1/analytics/dsl', { body: { datasetId: project.id, query } });
        assert.equal(shown.status, 200, shown.text);
        const body = { datasetId: project.id, unit: 'patient', filter: { where }, pageSize: 1000 };
        const list = await call('POST', '/v1/analytics/study/subjects', { body });
        assert.equal(list.status, 200, list.text);
        const listed = new Set(list.body.items.flatMap((one: { patientId?: string }) => one.patientId ?? []));
        assert.equal(shown.body.data.count, listed.size, `${name} ${JSON.stringify(choice)}`);
        carriers += listed.size;
      }
      assert.ok(carriers > 10, `${carriers} carriers of ${name}`);
    }
  });
});
