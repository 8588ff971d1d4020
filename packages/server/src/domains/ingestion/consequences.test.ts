import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { knownChanges, smallGenome } from '../../../../../samples/generator/small-genome.ts';
import { type Call, TestProject } from '../../../../../test/inputs/project.ts';
import { describeApp } from '../../../../../test/support/app.ts';
import { until } from '../../../../../test/support/until.ts';
import { newId } from '../../base/ids.ts';

const genome = smallGenome(5, 6);
const changes = knownChanges(genome)
  .slice(0, 20)
  .sort((left, right) => left.position - right.position || (left.alternate < right.alternate ? -1 : 1));
const expected = changes.map(({ gene, term, protein }) => [gene, term, protein].join(','));
const rows = 'select gene, ebcanon_class, amino_acid_change from variant order by position, alternate';

/** Returns a raw VCF of one sample. */
function rawText(sample: string, alleles: readonly (typeof changes)[number][]): string {
  const lines = alleles.map(
    ({ position, reference, alternate }) =>
      `chr1\t${position}\t.\t${reference}\t${alternate}\t50\tPASS\t.\tGT\t0/1`,
  );
  const columns = `#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t${sample}`;
  return `${['##fileformat=VCFv4.3', columns, ...lines].join('\n')}\n`;
}

/** Project whose gene models serve all projects, as the host of the service names it. */
const serviceId = newId();

describeApp(
  'consequences by gene models of a project',
  (app) => {
    let project: TestProject;
    let models: string;
    const as =
      (key: string): Call =>
      (method, path, options) =>
        app.call(method, path, { key, ...options });

    before(async () => {
      project = await TestProject.make(app.call, 'Genome');
      await project.take('reference.fa', genome.fasta);
      models = await project.take('genes.gff3', genome.gff3);
      await project.take('raw.vcf', rawText('raw', changes));
    });

    test('a raw file has genes, effects and changes of proteins', async () => {
      assert.deepEqual(await project.ask(rows), expected);
      const count = await project.ask("select count(*) from variant_call where hgvs_c like '%:c.%'");
      assert.deepEqual(count, [String(changes.length)]);
    });

    test('gene models are no table that a statement can name, and masked readers see the consequences', async () => {
      const body = { query: 'select * from _gene_model', datasetId: project.id, outputFileName: 'a.csv' };
      assert.equal((await app.call('POST', '/v1/analytics/data-lake/query', { body })).status, 400);
      const reader = await app.people.member(app.account, ['readMaskedData']);
      assert.deepEqual(await project.as(as(reader.key)).ask(rows), await project.ask(rows));
    });

    test('another project has none of them, and this one none after their removal', async () => {
      const other = await TestProject.make(app.call, 'No genome');
      await other.take('raw.vcf', rawText('raw', changes));
      assert.deepEqual(new Set(await other.ask(rows)), new Set([',,']));
      assert.equal((await app.call('DELETE', `/v1/files/${models}`)).status, 204);
      await project.take('late.vcf', rawText('late', changes.slice(0, 3)));
      const late = "select count(*) from variant where sample_id = 'late' and gene is null";
      assert.deepEqual(await project.ask(late), ['3']);
      const raw = rows.replace('order by', "where sample_id = 'raw' order by");
      assert.deepEqual(await project.ask(raw), expected);
    });

    test('a file older than its genome is filled in the background, and an overwritten one is not', async () => {
      const early = await TestProject.make(app.call, 'Early');
      const file = await early.take('raw.vcf', rawText('raw', changes));
      const other = await early.take('overwritten.vcf', rawText('other', changes.slice(0, 2)));
      await early.upload('overwritten.vcf', rawText('newer', changes));
      assert.deepEqual(new Set(await early.ask(rows)), new Set([',,']));
      await early.take('reference.fa', genome.fasta);
      await early.take('genes.gff3', genome.gff3);
      const ofRaw = rows.replace('variant', "variant where sample_id = 'raw'");
      await until(async () => (await early.ask(ofRaw)).join() === expected.join(), 'the file is filled');
      const list = async (id: string): Promise<{ state: string }[]> =>
        (await app.call('GET', `/v1/ingestions?datasetId=${early.id}&fileId=${id}`)).body.items;
      assert.deepEqual(
        (await list(file)).map(({ state }) => state),
        ['succeeded', 'succeeded'],
      );
      assert.equal(
        (await list(other)).length,
        1,
        'the bytes of an overwritten file are not those of its rows',
      );
      assert.deepEqual(await early.ask("select count(*) from variant where sample_id = 'newer'"), ['0']);
    });

    test('a user who may not replace rows fills none of others', async () => {
      const theirs = await TestProject.make(app.call, 'Theirs');
      await theirs.take('raw.vcf', rawText('raw', changes));
      const adder = await app.people.member(app.account, ['createData', 'readData']);
      const own = theirs.as(as(adder.key));
      await own.take('reference.fa', genome.fasta);
      await own.take('genes.gff3', genome.gff3);
      await until(async () => {
        const jobs = await app.people.records.read
          .selectFrom('jobs')
          .select('id')
          .where('kind', '=', 'ingestions.consequences')
          .where('state', 'in', ['queued', 'running'])
          .execute();
        return jobs.length === 0;
      }, 'no job waits');
      assert.deepEqual(new Set(await theirs.ask(rows)), new Set([',,']));
    });

    test('gene models of the service fill files of other accounts, and those of a project win', async () => {
      const person = await app.people.owner('elsewhere');
      const asOther: Call = (method, path, options) => app.call(method, path, { ...person, ...options });
      const plain = await TestProject.make(asOther, 'Plain');
      const file = await plain.take('raw.vcf', rawText('raw', changes));
      const own = await TestProject.make(asOther, 'Own models');
      await own.take('reference.fa', genome.fasta);
      await own.take('own.gff3', genome.gff3.replaceAll('SIMG', 'OWN'));
      const service = await TestProject.make(app.call, 'Service');
      await app.people.records.transact((tx) =>
        tx.updateTable('projects').set({ id: serviceId }).where('id', '=', service.id).execute(),
      );
      const known = TestProject.at(app.call, serviceId);
      await known.take('reference.fa', genome.fasta);
      await known.take('service.gff3', genome.gff3);
      await until(async () => (await plain.ask(rows)).join() === expected.join(), 'the file is filled');
      const { body } = await asOther('GET', `/v1/ingestions?datasetId=${plain.id}&fileId=${file}`);
      const by = body.items.map((one: Record<string, unknown>) =>
        [one['geneModels'], one['userId']].join(' '),
      );
      assert.deepEqual(by, [`service.gff3 ${person.userId}`, ` ${person.userId}`]);
      await own.take('raw.vcf', rawText('raw', changes));
      assert.deepEqual(
        await own.ask(rows),
        expected.map((row) => row.replace('SIMG', 'OWN')),
      );
      const late = await TestProject.make(app.call, 'Later');
      await late.take('raw.vcf', rawText('raw', changes));
      assert.deepEqual(await late.ask(rows), expected);
    });
  },
  { PLOIDY_ANNOTATION_PROJECT: serviceId },
);
