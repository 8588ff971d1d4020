/** Many small VCFs of one project: files a second, and where the processor time goes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startPostgres } from '../test/support/postgres.ts';
import { upload } from './lake.ts';
import { type Service, startService } from './service.ts';

const records = 60;
const pollMs = 100;
/** Ticks of the kernel's clock in a second (`getconf CLK_TCK`). */
const ticks = 100;

/** `argument`: number of files, 60 by default; `200:postgres` keeps the records in PostgreSQL. */
export async function bench(argument = '60'): Promise<void> {
  const [number, store] = argument.split(':');
  const count = Number(number);
  const database = store === 'postgres' ? await startPostgres() : undefined;
  const settings = database ? { PLOIDY_DATABASE_URL: database.url } : {};
  const service = await startService({ PLOIDY_INGESTIONS_MAX: '2', ...settings });
  try {
    const { id: project } = await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Small' });
    const path = join(tmpdir(), `ploidy-small-${process.pid}.vcf`);
    const files: string[] = [];
    for (let number = 0; number < count; number += 1) {
      writeFileSync(path, smallVcf(number));
      files.push(await upload(service, project, `s${number}.vcf`, path));
    }
    const before = secondsOf(service);
    const from = performance.now();
    for (const fileId of files) await service.call('POST', '/v1/ingestions', { datasetId: project, fileId });
    await ended(service, project, count);
    const seconds = (performance.now() - from) / 1000;
    const after = secondsOf(service);
    print(`${count} files in ${seconds.toFixed(1)} s: ${(count / seconds).toFixed(1)} a second`);
    print(
      `processor: service ${perFile(after.own - before.own, count)}, its processes ${perFile(after.others - before.others, count)}`,
    );
  } finally {
    await service.stop();
    await database?.stop();
  }
}

const perFile = (seconds: number, count: number): string =>
  `${((seconds / count) * 1000).toFixed(0)} ms a file`;

async function ended(service: Service, project: string, count: number): Promise<void> {
  for (;;) {
    const { items } = await service.call<{ items: { state: string }[] }>(
      'GET',
      `/v1/ingestions?datasetId=${project}&pageSize=1000`,
    );
    const failed = items.find(({ state }) => state === 'failed');
    if (failed) throw new Error(`an ingestion failed: ${JSON.stringify(failed)}`);
    if (items.filter(({ state }) => state === 'succeeded').length === count) return;
    await delay(pollMs);
  }
}

/** Processor time of the service, and of its running and ended processes. */
function secondsOf({ process: { pid = 0 } }: Service): { own: number; others: number } {
  const [own = 0, ended = 0] = timesOf(pid);
  const running = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => (parentOf(name) === pid ? timesOf(Number(name)) : []));
  return { own, others: running.reduce((sum, one) => sum + one, ended) };
}

function fieldsOf(pid: number | string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  } catch {
    // A process that has ended has no entry.
    return [];
  }
}

const parentOf = (pid: string): number => Number(fieldsOf(pid)[1]);

/** Own time of a process, and of its ended children. */
function timesOf(pid: number): [own: number, ended: number] {
  const [own = 0, system = 0, ofEnded = 0, systemOfEnded = 0] = fieldsOf(pid).slice(11, 15).map(Number);
  return [(own + system) / ticks, (ofEnded + systemOfEnded) / ticks];
}

function smallVcf(number: number): string {
  const lines = Array.from(
    { length: records },
    (_, at) =>
      `chr${1 + Math.floor((at * 22) / records)}\t${1000 + at * 50 + number}\t.\tA\tG\t50\tPASS\tDP=${at}\tGT:AD:DP:GQ\t0/1:9,8:17:99`,
  );
  const head = `##fileformat=VCFv4.3\n#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tSMALL${number}`;
  return `${head}\n${lines.join('\n')}\n`;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
