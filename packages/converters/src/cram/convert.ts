import { type FileHandle, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CramRecord } from '@gmod/cram';
import type { ConvertGenomics, Reporter } from '@ploidy/engine';
import {
  CoordinateOrder,
  CraiBuilder,
  type CramHeader,
  definitionBytes,
  endOfCram,
  GroupCounter,
  recordFlags,
  requireDistinctNames,
  type ScannedReads,
  SequenceEnds,
  type SlicePlace,
} from '@ploidy/formats';
import { describedReads } from '../bam/described-reads.ts';
import { readContainers, readHeader } from './containers.ts';
import { SliceDecoder } from './records.ts';

/** Flag of a record whose bases are unknown (CRAM spec §10.2, CF). */
const withoutBases = 8;

/** Converts a CRAM of version 3 into its index, counts and header, in one pass. */
export const convertCram: ConvertGenomics = async (task, report) => {
  const file = await open(task.sourcePath);
  try {
    const scan = new CramScan(await readHeader(file));
    await scan.read(file, report);
    const path = join(task.outputFolder, 'index.crai');
    await writeFile(path, scan.index.finish());
    const { needsReference } = scan;
    const described = await describedReads(task, scan, report);
    return { kind: 'reads', format: 'CRAM', needsReference, path, ...described };
  } finally {
    await file.close();
  }
};

/** Reads and bases of a CRAM by read group, and its index. */
class CramScan implements ScannedReads {
  readonly header: CramHeader;
  readonly counts: GroupCounter;
  readonly index = new CraiBuilder();
  readonly #order: CoordinateOrder;
  readonly #ends: SequenceEnds;
  records = 0;
  needsReference = false;

  constructor(header: CramHeader) {
    requireDistinctNames(header.references);
    this.header = header;
    this.counts = new GroupCounter(header.sam.readGroups.map((tags) => tags.get('ID') ?? ''));
    this.#order = new CoordinateOrder(header.references.length);
    this.#ends = new SequenceEnds(header.references);
  }

  get sam(): CramHeader['sam'] {
    return this.header.sam;
  }

  get beyondCount(): number {
    return this.#ends.beyondCount;
  }

  async read(file: FileHandle, report: Reporter): Promise<void> {
    const definition = new Uint8Array(definitionBytes);
    await file.read(definition, 0, definition.length, 0);
    const decoder = new SliceDecoder(definition);
    let isEnded = false;
    for await (const container of readContainers(file, this.header.size)) {
      for await (const { place, records, needsReference } of decoder.slices(container)) {
        this.needsReference ||= needsReference;
        for (const record of records) this.#add(record, place);
      }
      isEnded = Buffer.compare(container.bytes, endOfCram) === 0;
      report.progress(container.start + container.bytes.length, this.records);
    }
    if (isEnded) return;
    const message =
      'The CRAM has no end-of-file container: it may be truncated, and reads at its end may be missing.';
    report.warn({ message });
  }

  #add(record: CramRecord, place: SlicePlace): void {
    const { sequenceId, flags, readLength } = record;
    const position = sequenceId < 0 ? -1 : record.alignmentStart - 1;
    this.records += 1;
    this.#order.check(sequenceId, position, this.records);
    const baseCount = (record.cramFlags & withoutBases) === 0 ? readLength : 0;
    this.counts.addNumbered(record.readGroupId, { flags, baseCount });
    const isMapped = (flags & recordFlags.unmapped) === 0;
    const covered = isMapped ? (record.lengthOnRef ?? 1) : 1;
    if (isMapped) this.#ends.check(sequenceId, position + covered);
    this.index.add(place, sequenceId, position, position + Math.max(1, covered));
  }
}
