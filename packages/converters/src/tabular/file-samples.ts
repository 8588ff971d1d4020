import type { ConversionTask } from '@ploidy/engine';
import { InputError, sampleNameOfFile } from '@ploidy/formats';
import { severalSamples } from '../tables/samples.ts';

/** The samples that turn up in a file while it is read. */
export class FileSamples {
  readonly #task: ConversionTask;
  readonly #names = new Set<string>();

  constructor(task: ConversionTask) {
    this.#task = task;
  }

  /** Names in the file, each once, in their order. */
  get names(): string[] {
    return [...this.#names];
  }

  /** The name in the lake of a sample that the file calls so; without a name, of the only sample that it is of. */
  idOf(name: string | undefined): string {
    const { sampleId, sampleIds } = this.#task.options;
    const known = name ?? sampleId ?? this.#nameOfFile();
    if (!this.#names.has(known)) this.#names.add(known);
    if (sampleId !== undefined && this.#names.size > 1) throw severalSamples('several');
    return sampleId ?? sampleIds?.[known] ?? known;
  }

  #nameOfFile(): string {
    const name = sampleNameOfFile(this.#task.sourceName);
    if (name !== undefined) return name;
    throw new InputError('Neither the file nor its name identifies the sample: set sampleId.');
  }
}
