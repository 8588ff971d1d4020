import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vcfBenchFile } from './inputs.ts';
import { ingest, median, upload } from './lake.ts';
import { peopleText } from './people.ts';
import { type Service, startService } from './service.ts';

const rounds = 9;
const patients = 100_000;
/** About two million rows: 520,000 records of ten samples. */
const input = { records: 520_000, samples: 10 as const, gzip: true };
const medianMaxMs = 300;

const equals = (value: unknown) => [{ operator: 'eq', value }];

/** Questions and what they count: pinned, because the data are the same on every machine. */
const questions: [string, object, number][] = [
  ['everybody', {}, patients],
  ['one condition', { patient: { conditions: { code: equals('c3') } } }, patients / 20],
  [
    'age and sex',
    { patient: { demographics: { age: [{ operator: 'gte', value: 50 }], gender: equals('male') } } },
    -1,
  ],
  [
    'value of one observation',
    { patient: { observations: { code: equals('o1'), value_quantity: [{ operator: 'lt', value: 10 }] } } },
    -1,
  ],
  ['one gene', { variant: { gene: equals('BRAF') } }, -1],
  [
    'gene and condition',
    { variant: { gene: equals('BRAF') }, patient: { conditions: { code: equals('c0') } } },
    -1,
  ],
  [
    'not, or',
    {
      or: [
        { patient: { conditions: { code: equals('c1') } } },
        { not: { patient: { conditions: { code: equals('c2') } } } },
      ],
    },
    -1,
  ],
];

/** Questions over two million variant rows and 100,000 patients, from POST to the answer. */
export async function bench(): Promise<void> {
  const file = await vcfBenchFile(input);
  const service = await startService();
  try {
    const project = (await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Bench' })).id;
    await ingest(service, project, await upload(service, project, 'bench.vcf.gz', file.path));
    const people = join(service.folder, 'people.ndjson');
    writeFileSync(people, peopleText(patients, input.samples));
    const { rows } = await ingest(service, project, await upload(service, project, 'people.ndjson', people));
    process.stdout.write(`${file.expectedRows} variant rows, ${rows} clinical rows\n`);
    for (const [name, where, expected] of questions) {
      for (const domain of ['count', 'filter'] as const)
        await ask(service, project, { name, domain, where, expected });
    }
    await ask(service, project, { name: 'genes', target: 'gene', domain: 'genes', where: {}, expected: -1 });
    const options = {
      groupBy: ['gender'],
      metrics: [
        { op: 'avg', field: 'age' },
        { op: 'histogram', field: 'age' },
      ],
    };
    await ask(service, project, { name: 'groups', domain: 'aggregate', where: {}, expected: -1, options });
  } finally {
    await service.stop();
  }
}

interface Question {
  name: string;
  target?: string;
  domain: string;
  where: object;
  /** -1: not pinned. */
  expected: number;
  options?: object;
}

async function ask(service: Service, project: string, question: Question): Promise<void> {
  const { name, target = 'patient', domain, where, expected, options = { limit: 1000 } } = question;
  const body = { datasetId: project, query: { target, domain, where, options } };
  const times: number[] = [];
  let count = -1;
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    const { data } = await service.call<{ data: Record<string, unknown> }>('POST', '/v1/analytics/dsl', body);
    times.push(performance.now() - from);
    const [first] = Object.values(data);
    count = Array.isArray(first) ? first.length : Number(first);
  }
  if (domain === 'count' && expected >= 0 && count !== expected)
    throw new Error(`${name}: ${count}, not ${expected}`);
  process.stdout.write(
    `${name}, ${domain}: ${count} · median ${median(times).toFixed(0)} ms (${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)}, wanted < ${medianMaxMs})\n`,
  );
}
