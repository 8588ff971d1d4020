/** Lines of every real file are in a row or in `resource`, named in a warning, or rightly without rows. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { describeOnSqlite } from '../support/app.ts';
import { samtoolsSkip } from '../support/samtools.ts';
import { sharedData, sharedDataSkip } from '../support/shared-data.ts';
import { TestProject, type Work } from './project.ts';

/** Refused files, with the words of their errors. */
const refused: Record<string, RegExp> = {
  'bam/quickcheck_badheader.bam': /ends too early or is damaged/,
  // Reference data, which no project ingests.
  'protein-domains/pfam-37-human.tsv.gz': /The format is not recognised/,
};
/** Options of requests for files that lack them. */
const options: Record<string, object> = { 'expression/htseq_counts.tsv': { sampleId: 's1' } };

const files = sharedDataSkip
  ? []
  : readFileSync(sharedData('MANIFEST.tsv'), 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t')[0] ?? '')
      .filter((file) => !/\.(bai|fai|gzi)$/.test(file));

const textOf = (file: string): string => {
  const bytes = readFileSync(sharedData(file));
  return (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};
const linesOf = (file: string): string[] =>
  textOf(file)
    .split(/\r?\n/)
    .filter((line) => line !== '');

/** Place of a VCF record that must have a row: an alternate with bases that a sample carries, or that no sample columns qualify. */
function placeOf(line: string): { chromosome: string; first: number; last: number } | undefined {
  const [chromosome = '', pos = '', , ref = '', alts = '', , , , format, ...samples] = line.split('\t');
  const isMeant = alts.split(',').map((alt) => !['.', '*', '<*>', '<NON_REF>', ref].includes(alt));
  if (format?.split(':')[0] === 'GT') {
    const carried = new Set(samples.flatMap((sample) => sample.split(':')[0]?.split(/[/|]/) ?? []));
    if (!isMeant.some((meant, at) => meant && carried.has(String(at + 1)))) return undefined;
  } else if (!isMeant.includes(true)) return undefined;
  return {
    chromosome: chromosome.replace(/^chr/, '').replace(/^MT$/, 'M'),
    first: Number(pos),
    last: Number(pos) + ref.length,
  };
}

/** Places of all rows of a VCF, by chromosome without its prefix; a fusion is at both of its ends. */
async function placesIn(project: TestProject): Promise<Map<string, number[]>> {
  const selected = ['variant: chromosome, position', 'copynumber: chromosome, start_position - 1'];
  selected.push('fusion: chromosome1, start_position1', 'fusion: chromosome2, start_position2');
  const places = new Map<string, number[]>();
  for (const [table = '', columns] of selected.map((text) => text.split(': '))) {
    if ((await project.count(table)) === 0) continue;
    for (const row of await project.ask(`select distinct ${columns} from ${table}`)) {
      const [chromosome = '', at] = row.replace(/^chr/, '').split(',');
      places.set(chromosome, [...(places.get(chromosome) ?? []), Number(at)]);
    }
  }
  return places;
}

// One store suffices: rows are converted before either keeps their record.
describeOnSqlite('every line of every real file', (app) => {
  /** Ingests a file into a project of its own. */
  const ingest = async (file: string): Promise<{ project: TestProject; end: Work }> => {
    const project = await TestProject.make(app.call, file);
    const id = await project.upload(basename(file), readFileSync(sharedData(file)));
    return { project, end: await project.ingest(id, options[file]) };
  };

  const checks: Record<string, (file: string, project: TestProject, end: Work) => Promise<void>> = {
    async fhir(file, project) {
      const resources = file.endsWith('.ndjson')
        ? linesOf(file).map((line) => JSON.parse(line))
        : JSON.parse(textOf(file)).entry.map((entry: { resource: object }) => entry.resource);
      const sent = new Set(
        resources.map(({ resourceType, id }: Record<string, string>) => `${resourceType},${id}`),
      );
      const kept = await project.ask('select resource_type, id from resource');
      assert.deepEqual(kept.sort(), [...sent].sort());
    },
    async vcf(file, project) {
      const places = await placesIn(project);
      const meant = linesOf(file)
        .filter((line) => !line.startsWith('#'))
        .flatMap((line) => placeOf(line) ?? []);
      const missing = meant.filter(
        ({ chromosome, first, last }) => !places.get(chromosome)?.some((at) => first <= at && at <= last),
      );
      assert.deepEqual(missing, []);
    },
    async cnv(file, project) {
      const [, ...segments] = linesOf(file).map((line) => line.split('\t'));
      const kept = new Set(
        await project.ask('select distinct chromosome, start_position, end_position from copynumber'),
      );
      for (const [chromosome, start, end] of segments)
        assert.ok(
          kept.has(`chr${chromosome?.replace(/^chr/, '')},${Number(start) + 1},${end}`),
          `${chromosome}:${start}`,
        );
    },
    async maf(file, project) {
      const [header = '', ...lines] = linesOf(file).filter((line) => !line.startsWith('#'));
      const at = header.split('\t').indexOf('Start_Position');
      const kept = (await project.ask('select position from variant')).map(Number);
      for (const line of lines) {
        const start = Number(line.split('\t')[at]);
        assert.ok(
          kept.some((position) => Math.abs(position - start) <= 1),
          line.slice(0, 80),
        );
      }
      assert.ok(kept.length >= lines.length);
    },
    async expression(file, project) {
      const genes = linesOf(file)
        .map((line) => line.split('\t')[0] ?? '')
        .filter((gene) => !['gene_id', 'feature'].includes(gene) && !gene.startsWith('__'));
      assert.deepEqual((await project.ask('select gene_id from gene')).sort(), genes.sort());
    },
    async fasta(file, project) {
      const names = linesOf(file).flatMap((line) =>
        line.startsWith('>') ? [line.slice(1).split(/\s/)[0]] : [],
      );
      const search = async (what: string, body: object) =>
        (await app.call('POST', `/${app.account}/v1/${what}/search`, { body })).body;
      const { referenceSets } = await search('referencesets', {});
      const set = referenceSets.find(({ datasetId }: { datasetId: string }) => datasetId === project.id);
      const { references } = await search('references', { referenceSetId: set.id });
      assert.deepEqual(
        references.map(({ name }: { name: string }) => name),
        names,
      );
    },
    async bam(file, _project, end) {
      const { stdout } = spawnSync('samtools', ['view', '-c', sharedData(file)], { encoding: 'utf8' });
      assert.equal(end.progress.rows, Number(stdout));
    },
  };
  test('the manifest names files', { skip: sharedDataSkip }, () => assert.ok(files.length > 30));
  for (const file of files) {
    const [kind = ''] = file.split('/');
    test(file, { skip: kind === 'bam' && samtoolsSkip }, async () => {
      const { project, end } = await ingest(file);
      if (refused[file]) return assert.match(String(end.error?.message), refused[file]);
      assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
      const check = checks[kind];
      assert.ok(check, `no check counts the lines of ${kind}`);
      await check(file, project, end);
    });
  }
});
