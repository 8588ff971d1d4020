import { ingest, upload } from './lake.ts';
import { watchMemory } from './memory.ts';
import { startService } from './service.ts';

export interface EndToEnd {
  /** Milliseconds from POST /v1/ingestions to `succeeded`, each round. */
  times: number[];
  /** Bytes: the most that the whole service (all processes, PSS) took in two further rounds. */
  peakBytes: number;
}

/** Rounds in which memory is watched: watching takes a tenth of the time, so these do not count for the times. */
const watchedRounds = 2;

/** Ingests a file through the running service, several times; the count of rows must be right each time. */
export async function ingestEndToEnd(
  file: { name: string; path: string; expectedVariants?: number },
  rounds: number,
  between: () => Promise<void> = async () => undefined,
): Promise<EndToEnd> {
  const service = await startService();
  let memory: ReturnType<typeof watchMemory> | undefined;
  try {
    const project = (await service.call<{ id: string }>('POST', '/v1/projects', { name: 'Bench' })).id;
    const id = await upload(service, project, file.name, file.path);
    const once = async (): Promise<number> => {
      const { rows, variants, ms } = await ingest(service, project, id);
      if (rows === 0 || variants !== (file.expectedVariants ?? variants))
        throw new Error(`${variants} variants, expected ${file.expectedVariants}`);
      return ms;
    };
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) {
      times.push(await once());
      await between();
    }
    memory = watchMemory(service.process.pid ?? 0);
    for (let round = 0; round < watchedRounds; round++) await once();
    return { times, peakBytes: memory.stop() };
  } finally {
    memory?.stop();
    await service.stop();
  }
}
