/** `npm run bench -- NAME…`, or `NAME=ARGUMENT`: runs benchmarks. Each prints its figures, ratios and the counts it pins; a wrong count fails. */
import { isSkipped } from './programs.ts';

const benchmarks: Record<string, () => Promise<{ bench: (argument?: string) => Promise<void> }>> = {
  vcf: () => import('./ingest-vcf.ts'),
  fhir: () => import('./ingest-fhir.ts'),
  'vcf-conversion': () => import('./vcf.ts'),
  'fhir-reads': () => import('./fhir-reads.ts'),
  'fhir-conversion': () => import('./fhir.ts'),
  index: () => import('./index.ts'),
  query: () => import('./query.ts'),
  csv: () => import('./csv.ts'),
  formats: () => import('./formats.ts'),
  queries50: () => import('./queries50.ts'),
  cancel: () => import('./cancel.ts'),
  dsl: () => import('./dsl.ts'),
  study: () => import('./study.ts'),
  annotations: () => import('./annotations.ts'),
  consequences: () => import('./consequences.ts'),
  files: () => import('./files.ts'),
  http: () => import('./http.ts'),
  proxy: () => import('./proxy.ts'),
  load: () => import('./load-curve.ts'),
  token: () => import('./token.ts'),
  start: () => import('./start.ts'),
  records: () => import('./records.ts'),
  policy: () => import('./policy.ts'),
  htsget: () => import('./htsget.ts'),
  scale: () => import('./scale.ts'),
  cohort: () => import('./cohort.ts'),
  small: () => import('./small.ts'),
  answers: () => import('./answers.ts'),
  crowd: () => import('./crowd.ts'),
};

/** Programs without which a benchmark measures nothing. Those that only compare with a program go on without it. */
const needed: Record<string, readonly string[]> = {
  vcf: ['bcftools'],
  answers: ['sh', 'bcftools'],
  formats: ['python3'],
  htsget: ['wrk'],
  http: ['wrk'],
  proxy: ['nginx', 'wrk'],
  token: ['taskset'],
};

/** Words from the first option on are for the benchmark. */
const words = process.argv.slice(2);
const options = words.findIndex((word) => word.startsWith('--'));
const wanted = words.slice(0, options < 0 ? words.length : options).map((word) => word.split('='));
const unknown = wanted.filter(([name = '']) => !Object.hasOwn(benchmarks, name));
if (wanted.length === 0 || unknown.length > 0) {
  process.stderr.write(`npm run bench -- ${Object.keys(benchmarks).join('|')}\n`);
  process.exit(2);
}
for (const [name = '', argument] of wanted) {
  process.stdout.write(`\n== ${name} ==\n`);
  if (isSkipped(name, needed[name] ?? [])) continue;
  const module = await benchmarks[name]?.();
  await module?.bench(argument);
}
