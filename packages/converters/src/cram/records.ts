import { CramFile, type CramRecord } from '@gmod/cram';
import { definitionBytes, type SlicePlace } from '@ploidy/formats';
import { damaged, inflated, type LoadedContainer } from './containers.ts';

/** Records of one slice. Bases that are differences from the reference are not decoded. */
interface DecodedSlice {
  place: SlicePlace;
  records: CramRecord[];
  /** Set if reading bases needs the reference. */
  needsReference: boolean;
}

/** Header of a slice; slices of the oldest form have no sequence. */
interface SliceHead {
  numRecords: number;
  refSeqId?: number;
  /** Block with the bases of the reference; −1 without one. */
  refBaseBlockId?: number;
}

/** Decoder of the records of containers in memory. */
export class SliceDecoder {
  readonly #window: Window;
  readonly #file: CheckedFile;

  /** `definition`: the first bytes of the file. */
  constructor(definition: Uint8Array) {
    this.#window = new Window(definition);
    this.#file = new CheckedFile({ filehandle: this.#window, checkSequenceMD5: false, cacheSize: 1 });
  }

  /** Decodes the slices of a container in order. Rejects with `InputError` if one is damaged. */
  async *slices(container: LoadedContainer): AsyncGenerator<DecodedSlice> {
    this.#window.show(container);
    for (const [index, slice] of container.slices.entries()) {
      const bytes = (container.slices[index + 1] ?? container.length) - slice;
      yield await this.#decode(container, { container: container.start, slice, bytes });
    }
  }

  async #decode({ records: recordsMax }: LoadedContainer, place: SlicePlace): Promise<DecodedSlice> {
    const container = this.#file.getContainerAtPosition(place.container);
    const slice = container.getSlice(place.slice, place.bytes);
    try {
      const head: SliceHead = (await slice.getHeader()).parsedContent;
      if (head.numRecords > recordsMax) throw damaged(place.container);
      const records = await slice.getRecords(() => true);
      const { preservation } = (await container.getCompressionHeaderBlock())?.parsedContent ?? {};
      const { refSeqId = -1, refBaseBlockId = -1 } = head;
      const isOfReference = refSeqId !== -1 && refBaseBlockId < 0;
      // Absent means that it is required (CRAM spec §8.4, RR).
      return { place, records, needsReference: isOfReference && preservation?.RR !== false };
    } catch (error) {
      // The decoder throws errors of any kind for damaged records.
      throw damaged(place.container, error);
    }
  }
}

/** A CRAM whose blocks have been checked. */
class CheckedFile extends CramFile {
  override validateChecksums = false;

  /** Decompresses with zlib, within the size that the block states. */
  override async _uncompressPre(
    method: Parameters<CramFile['_uncompressPre']>[0],
    data: Uint8Array,
    size: number,
  ): Promise<Uint8Array> {
    return method === 'gzip' ? inflated(data, size) : super._uncompressPre(method, data, size);
  }
}

/** File with its start and one container. */
class Window {
  readonly #definition: Uint8Array;
  #shown: Pick<LoadedContainer, 'start' | 'bytes'>;

  constructor(definition: Uint8Array) {
    this.#definition = definition;
    this.#shown = { start: 0, bytes: definition };
  }

  show(container: LoadedContainer): void {
    this.#shown = container;
  }

  async read(length: number, position: number): Promise<Uint8Array<ArrayBuffer>> {
    const { start, bytes } = position < definitionBytes ? { start: 0, bytes: this.#definition } : this.#shown;
    // A copy: some parsers read the whole buffer below a view.
    return bytes.slice(position - start, position - start + length) as Uint8Array<ArrayBuffer>;
  }

  async readFile(): Promise<never> {
    throw new Error('Only containers are read.');
  }

  async stat(): Promise<{ size: number }> {
    const { start, bytes } = this.#shown;
    return { size: start + bytes.length };
  }

  async close(): Promise<void> {}
}
