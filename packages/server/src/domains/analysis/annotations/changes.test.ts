import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject } from '../../../../../../test/inputs/project.ts';
import { fhirText, vcfText } from '../../../../../../test/inputs/texts.ts';
import { describeApp, describeOnSqlite, type Reply } from '../../../../../../test/support/app.ts';
import { until } from '../../../../../../test/support/until.ts';
import { Receiver, spread } from '../../protocols/events/webhooks/receiver.fixture.ts';

/** Returns a release of ClinVar with the significance of alleles `A>G` of chromosome 1 by their positions. */
const clinvar = (date: string, significances: Readonly<Record<number, string>>): string =>
  [
    '##fileformat=VCFv4.1',
    `##fileDate=${date}`,
    '##source=ClinVar',
    '##INFO=<ID=CLNSIG,Number=.,Type=String,Description="Clinical significance">',
    '#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO',
    ...Object.entries(significances).map(
      ([position, text]) => `1\t${position}\t.\tA\tG\t.\t.\tCLNSIG=${text}`,
    ),
    '',
  ].join('\n');

const annotation = { type: 'annotation' };

describeApp(
  'annotation sources',
  (app) => {
    let project: TestProject;
    let receiver: Receiver;
    after(() => receiver.stop());

    const get = (path: string, key?: string): Promise<Reply> =>
      app.call('GET', `/v1/projects/${project.id}/${path}`, { ...(key !== undefined && { key }) });
    const changes = async (key?: string, query = ''): Promise<string[]> => {
      const { body, status, text } = await get(`annotation-changes${query}`, key);
      assert.equal(status, 200, text);
      return body.items.map((one: Record<string, unknown>) =>
        ['oldVersion', 'newVersion', 'position', 'name', 'oldValue', 'newValue', 'samples', 'subjects']
          .map((name) => one[name] ?? '-')
          .join(' '),
      );
    };

    before(async () => {
      receiver = await Receiver.start();
      project = await TestProject.make(app.call, 'Releases');
      const webhook = { name: 'Releases', url: receiver.url, events: ['annotation.changed'] };
      const made = await app.call('POST', '/v1/webhooks', { body: webhook });
      assert.equal(made.status, 200, made.text);
      await project.take('p.ndjson', fhirText('p', 6, 1));
      // Positions 1000, 1010, 1020 of the first sample, 1000 and 1010 of the second one.
      await project.take('s1.vcf', vcfText('s1', 3), { patientId: 'p-1' });
      await project.take('s2.vcf', vcfText('s2', 2), { patientId: 'p-2' });
      await project.take(
        'old.vcf',
        clinvar('2026-10-01', { 1000: 'Benign', 1010: 'Benign', 1020: 'Benign' }),
        annotation,
      );
    });

    const significances = () =>
      project.ask(
        "select position, clinical_significance from variant where sample_id = 's1' order by position",
      );

    test('the newest release fills the variants, whatever arrived last, and no allele that it withdrew', async () => {
      const text = clinvar('2026-11-01', { 1000: 'Pathogenic', 1020: 'Benign', 5000: 'Pathogenic' });
      await project.take('new.vcf', text, annotation);
      const present = ['1000,Pathogenic', '1010,', '1020,Benign'];
      assert.deepEqual(await significances(), present);
      await project.take('older.vcf', clinvar('2026-09-01', { 1000: 'Likely_benign' }), annotation);
      assert.deepEqual(await significances(), present);
      const done = async () => (await get('annotation-sources')).body.filling;
      await until(async () => (await done()).state === 'done', 'variants are filled');
      assert.deepEqual(await done(), { state: 'done', rowsDone: 5, rowsTotal: 5 });
      assert.deepEqual(await significances(), present);
    });

    test('each release is listed, with the one that is used, and statements know them', async () => {
      const { body } = await get('annotation-sources');
      const listed = body.items.map((one: Record<string, unknown>) =>
        [one['source'], one['version'], one['rows'], one['isUsed'], one['isOfService']].join(' '),
      );
      assert.deepEqual(listed, [
        'ClinVar 2026-09-01 1 false false',
        'ClinVar 2026-11-01 3 true false',
        'ClinVar 2026-10-01 3 false false',
      ]);
      const known =
        'select source, kind, version, released, matched_by, row_count from annotation_source order by version desc limit 1';
      assert.deepEqual(await project.ask(known), ['ClinVar,clinvar,2026-11-01,2026-11-01,allele,3']);
    });

    test('changed values are listed with the samples that carry them, page by page', async () => {
      const all = [
        '2026-10-01 2026-11-01 1000 clinical_significance Benign Pathogenic 2 2',
        '2026-10-01 2026-11-01 1010 clinical_significance Benign - 2 2',
      ];
      assert.deepEqual(await changes(), all);
      assert.deepEqual(await changes(undefined, '?source=ClinVar&name=clinical_significance'), all);
      assert.deepEqual(await changes(undefined, '?source=other'), []);
      const first = await get('annotation-changes?pageSize=1');
      // Files that arrive between two pages leave the position valid.
      await project.take('q.ndjson', fhirText('q', 1, 1));
      const second = await app.call('GET', first.body.links.next);
      assert.deepEqual(
        [first, second].map(({ body }) => body.items[0].position),
        [1000, 1010],
      );
      assert.equal(second.body.links.next, undefined);
    });

    test('a reader of some patients counts their samples alone, and a masked reader all', async () => {
      const rule = { 'resource.subject': { comparison: 'in', value: ['p-2'] } };
      const some = await app.people.member(app.account, ['readData'], rule);
      assert.deepEqual(
        (await changes(some.key)).map((one) => one.split(' ').slice(-2).join(' ')),
        ['1 1', '1 1'],
      );
      const masked = await app.people.member(app.account, ['readMaskedData']);
      assert.deepEqual(
        (await changes(masked.key)).map((one) => one.split(' ').slice(-2).join(' ')),
        ['2 2', '2 2'],
      );
      const none = await app.people.member(app.account, ['createData']);
      assert.equal((await get('annotation-changes', none.key)).status, 403);
    });

    test('a release with changed values is an event without values, and one without changes is none', async () => {
      await spread(app);
      await until(() => receiver.received.length > 0, 'the event arrives');
      // The oldest and the first release changed nothing.
      const messages = receiver.received.map(({ body }) => JSON.parse(body));
      const { userId, ...data } = messages[0].data;
      assert.deepEqual(
        [messages.length, messages[0].type, data],
        [
          1,
          'annotation.changed',
          { accountId: app.account, datasetId: project.id, resource: { type: 'table' } },
        ],
      );
      assert.match(userId, /^[0-9a-f-]{36}$/);
    });

    test('a paused filling stays paused, with the same answers, until it goes on', async () => {
      const pause = (isPaused: boolean, key?: string) =>
        app.call('PUT', `/v1/projects/${project.id}/annotation-filling`, {
          body: { isPaused },
          ...(key && { key }),
        });
      const reader = await app.people.member(app.account, ['readData']);
      assert.equal((await pause(true, reader.key)).status, 403);
      assert.equal((await pause(true)).body.state, 'done');
      await project.take('next.vcf', clinvar('2026-12-01', { 1000: 'Benign' }), annotation);
      assert.deepEqual(await significances(), ['1000,Benign', '1010,', '1020,']);
      assert.equal((await get('annotation-sources')).body.filling.state, 'paused');
      await pause(false);
      await until(
        async () => (await get('annotation-sources')).body.filling.state === 'done',
        'variants are filled',
      );
      assert.deepEqual(await significances(), ['1000,Benign', '1010,', '1020,']);
    });

    test('values of scores are a table, of the newest release alone', async () => {
      const scores = (value: number) =>
        `chr,hg19_pos,grch38_pos,ref,alt,aaref,aaalt,REVEL\n1,900,1000,A,G,V,E,${value}\n`;
      for (const [version, value] of [
        ['1.2', 0.2],
        ['1.3', 0.7],
      ] as const)
        await project.take(`revel-v${version}.csv`, scores(value), { ...annotation, genomeBuild: 'GRCh38' });
      const joined = `select v.sample_id, a.source, a.version, a.value from variant v join annotation_value a
      using (chromosome, position, reference, alternate) order by 1`;
      assert.deepEqual(await project.ask(joined), ['s1,REVEL,1.3,0.7', 's2,REVEL,1.3,0.7']);
    });

    test('a change of a gene is about its variants, and a refused request names its field', async () => {
      const contradiction = await app.call('POST', '/v1/ingestions', {
        body: {
          datasetId: project.id,
          fileId: await app.put(project.id, 'x.csv', 'a'),
          annotation: { version: '1' },
        },
      });
      assert.equal(contradiction.status, 400);
      assert.match(contradiction.text, /body\/annotation/);
    });
  },
  { PLOIDY_ALLOW_PRIVATE_HOSTS: 'true' },
);

describeOnSqlite(
  'annotation changes where small counts are hidden',
  (app) => {
    let project: TestProject;

    before(async () => {
      project = await TestProject.make(app.call, 'Few');
      await project.take('p.ndjson', fhirText('p', 12, 1));
      // Twelve patients carry 1000, one also 1010, and none 5000.
      for (let at = 1; at <= 12; at += 1)
        await project.take(`s${at}.vcf`, vcfText(`s${at}`, at === 1 ? 2 : 1), { patientId: `p-${at}` });
      const all = (significance: string) => ({ 1000: significance, 1010: significance, 5000: significance });
      await project.take('old.vcf', clinvar('2026-10-01', all('Benign')), annotation);
      await project.take('new.vcf', clinvar('2026-11-01', all('Pathogenic')), annotation);
    });

    test('alleles of few patients and of none leave equal pages', async () => {
      const masked = await app.people.member(app.account, ['readMaskedData']);
      const pages: number[][] = [];
      let next: string | undefined =
        `/v1/projects/${project.id}/annotation-changes?name=clinical_significance&pageSize=1`;
      while (next !== undefined) {
        const { body, status, text }: Reply = await app.call('GET', next, { key: masked.key });
        assert.equal(status, 200, text);
        pages.push(body.items.map(({ position }: { position: number }) => position));
        next = body.links.next;
      }
      assert.deepEqual(pages, [[1000], [], []]);
    });
  },
  { PLOIDY_SMALL_COUNTS_MIN: '3' },
);
