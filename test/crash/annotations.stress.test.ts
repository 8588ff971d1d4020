import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { TestProject } from '../inputs/project.ts';
import { vcfText } from '../inputs/texts.ts';
import { until } from '../support/until.ts';
import { untilSwept } from './disk.ts';
import { MortalService } from './mortal-service.ts';

const records = 10_000;
/** Moments at which the service dies, as part of the time from an annotation to the filled variants. */
const moments = [0, 0.3, 0.6, 0.9];

let service: MortalService;
let project: TestProject;

before(async () => {
  service = await MortalService.start();
  project = await TestProject.make(service.call, 'Annotations');
});
after(() => service.end());

/** Returns an annotation of all variants of `vcfText`. */
function annotationText(round: string): string {
  const lines = Array.from({ length: records }, (_, index) => {
    return `chr1\t${1000 + index * 10}\t.\tA\tG\t.\t.\tALLELEID=${index};CLNDN=${round}\n`;
  });
  return `##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\n${lines.join('')}`;
}

async function begin(round: string): Promise<string> {
  const file = await project.upload('annotation.vcf', annotationText(round));
  return project.startIngestion(file, { type: 'annotation' });
}

async function finish(id: string): Promise<void> {
  const end = await project.endOfIngestion(id);
  assert.equal(end.state, 'succeeded', JSON.stringify(end.error));
}

/** Counts variants by disease: `disease,rows`. */
const visible = () => project.ask('select clinical_disease, count(*) from variant group by 1 order by all');

/** Waits until the variants are filled, and no such work is left. */
async function untilFilled(): Promise<void> {
  const look = `select (select count(*) from annotated_segments where retired_at is null) as filled,
    (select count(*) from jobs where state in ('queued', 'running')) as jobs`;
  const isFilled = (): boolean => {
    const row = service.look((all) => all.prepare(look).get());
    return Number(row?.['filled']) === 1 && Number(row?.['jobs']) === 0;
  };
  await until(isFilled, 'the variants are filled');
}

test('a crash at any moment of an annotation shows all of it or none, and filling goes on by itself', async () => {
  await project.take('s.vcf', vcfText('s', records));
  await finish(await begin('r0'));
  await untilFilled();
  const startedAt = performance.now();
  await finish(await begin('warm'));
  await untilFilled();
  const durationMs = performance.now() - startedAt;
  let before = 'warm';
  for (const [index, moment] of moments.entries()) {
    const round = `r${index + 1}`;
    const id = await begin(round);
    await service.dieAfter(durationMs * moment);
    const [found, ...more] = await visible();
    const [old, made] = [`${before},${records}`, `${round},${records}`];
    assert.ok(found === old || found === made, `${found} is neither ${old} nor ${made}`);
    assert.deepEqual(more, []);
    await finish(id);
    assert.deepEqual(await visible(), [`${round},${records}`]);
    await untilFilled();
    assert.deepEqual(await visible(), [`${round},${records}`]);
    await untilSwept(service);
    before = round;
  }
  await service.assertAuditWhole();
});
