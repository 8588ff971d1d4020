import { ingest, median, upload } from './lake.ts';
import { watchMemory } from './memory.ts';
import { startService } from './service.ts';

export interface EndToEnd {
  /** Milliseconds from POST /v1/ingestions to `succeeded`, each round. */
  times: number[];
  medianMs: number;
  /** Bytes: the most that the whole service (all processes, PSS) took meanwhile. */
  peakBytes: number;
}

/** Ingests a file through the running service, several times; the count of rows must be right each time. */
export async function ingestEndToEnd(
  file: { name: string; path: string; expectedRows?: number },
  rounds: number,
  between: () => Promise<void> = async () => undefined,
): Promise<EndToEnd> {
  const service = await startService();
  const memory = watchMemory(service.process.pid ?? 0);
  try {
    const project = (await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Bench' })).id;
    const id = await upload(service, project, file.name, file.path);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const { rows, ms } = await ingest(service, project, id);
      if (rows === 0 || rows !== (file.expectedRows ?? rows))
        throw new Error(`${rows} rows, expected ${file.expectedRows}`);
      times.push(ms);
      await between();
    }
    return { times, medianMs: median(times), peakBytes: memory.stop() };
  } finally {
    memory.stop();
    await service.stop();
  }
}
