import { median } from './lake.ts';
import { startService } from './service.ts';

const rounds = 5;
const wantedMaxMs = 3000;

/** Time from the start of the process on an empty data folder to the first answer of /readyz. */
export async function bench(): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    const service = await startService();
    await service.call('GET', '/readyz');
    times.push(performance.now() - from);
    await service.stop();
  }
  const spread = `${Math.min(...times).toFixed(0)}–${Math.max(...times).toFixed(0)}`;
  process.stdout.write(
    `first start to ready: median ${median(times).toFixed(0)} ms (${spread}), wanted < ${wantedMaxMs}\n`,
  );
}
