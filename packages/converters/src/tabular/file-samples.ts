import type { ConversionTask } from '@ploidy/engine';
import { InputError, sampleNameOfFile } from '@ploidy/formats';
import { severalSamples } from '../tables/samples.ts';

/** Samples that appear in a file while it is read. */
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

  /** Returns the lake's name of a sample by its name in the file; without a name, that of the only sample. */
  idOf(name: string | undefined): string {
    const { sampleId } = this.#task.options;
    const known = name ?? sampleId ?? this.#nameOfFile();
    if (!this.#names.has(known)) this.#names.add(known);
    if (sampleId !== undefined && this.#names.size > 1) throw severalSamples('several');
    return sampleId ?? known;
  }

  #nameOfFile(): string {
    const name = sampleNameOfFile(this.#task.sourceName);
    if (name !== undefined) return name;
    throw new InputError('Neither the file nor its name identifies the sample: set sampleId.');
  }
}
