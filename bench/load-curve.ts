import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { drawCurve } from './draw-curve.ts';
import { cpuMicroseconds } from './load.ts';
import { residentBytes } from './memory.ts';
import { type Figures, OpenLoop } from './open-loop.ts';
import { type Service, startService } from './service.ts';
import { prepareTraffic } from './traffic.ts';

const firstRate = 25;
const growth = 1.5;
const stepSeconds = 5;
const p99MaxMs = 100;
/** Beyond the last good rate it doubles until this many are rejected. */
const turnedAwayMin = 0.25;
const doublingsMax = 5;
/** Each unserved client opens its own connection, as users do. */
const connectionsMax = 4096;
/** An hour of what a busy site sends. */
const requestsOfAnHour = 360_000;
const parts = 10;
const lanes = 16;
const drawing = join(import.meta.dirname, '../docs/load.svg');

/**
 * Mixed traffic at rising rates until the slowest hundredth waits too long, and beyond. Measures the recovery, and the memory
 * after many requests. `argument`: their number, 360,000 when absent.
 */
export async function bench(argument = String(requestsOfAnHour)): Promise<void> {
  const service = await startService();
  try {
    const next = await prepareTraffic(service);
    const loop = new OpenLoop(service.address, connectionsMax);
    const run = async (rate: number, seconds: number): Promise<Figures> => {
      const before = cpuMicroseconds(service.process.pid);
      const figures = await loop.run(Math.round(rate), seconds, next);
      return reported(figures, (cpuMicroseconds(service.process.pid) - before) / figures.sent);
    };
    await loop.run(firstRate, stepSeconds, next);
    const steps: Figures[] = [];
    // Two in succession: one may be a hiccup of the machine.
    for (let rate = firstRate; steps.length < 2 || steps.slice(-2).some(inTime); rate *= growth)
      steps.push(await run(rate, stepSeconds));
    const good = steps.findLast(inTime)?.rate;
    print(
      good
        ? `in time up to ${good} a second; beyond:`
        : `p99 is beyond ${p99MaxMs} ms at every rate; more of it:`,
    );
    const knee = good ?? firstRate;
    const beyond: Figures[] = [];
    for (let rate = knee * 2; beyond.length < doublingsMax; rate *= 2) {
      beyond.push(await run(rate, stepSeconds));
      if (beyond.some((figures) => turnedAway(figures) >= turnedAwayMin)) break;
    }
    print('half of it, at once afterwards:');
    for (let second = 0; second < 3; second++) await run(knee / 2, 1);
    writeFileSync(drawing, drawCurve({ steps, beyond, p99MaxMs }));
    await watch(service, loop, next, Number(argument));
    loop.close();
  } finally {
    await service.stop();
  }
}

const turnedAway = ({ statuses, sent }: Figures): number => (statuses['503'] ?? 0) / sent;
const inTime = ({ p99 }: Figures): boolean => p99 <= p99MaxMs;

/** Memory of the service before, during and after many requests, as fast as they are answered. */
async function watch(
  service: Service,
  loop: OpenLoop,
  next: Parameters<OpenLoop['run']>[2],
  requests: number,
): Promise<void> {
  const sizes = [residentBytes(service.process.pid ?? 0)];
  for (let part = 0; part < parts; part++) {
    const failed = await loop.send(Math.round(requests / parts), lanes, next);
    if (failed > 0) print(`${failed} without a good answer`);
    sizes.push(residentBytes(service.process.pid ?? 0));
  }
  const megabytes = sizes.map((bytes) => (bytes / 1e6).toFixed(0));
  print(`resident memory over ${requests} requests, by tenths: ${megabytes.join(' ')} MB`);
}

function reported(figures: Figures, cpuMicrosecondsEach: number): Figures {
  const { rate, p50, p99, wrong } = figures;
  const share = turnedAway(figures) * 100;
  const rest = Object.keys(wrong).length > 0 ? `, wrong: ${JSON.stringify(wrong)}` : '';
  print(
    `${String(rate).padStart(6)}/s: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, 503 ${share.toFixed(1)} %, ${cpuMicrosecondsEach.toFixed(0)} µs of processor each${rest}`,
  );
  return figures;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
