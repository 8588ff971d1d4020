import {
  fieldsOf,
  InputError,
  isVcf,
  kindOfTable,
  kindOfVcf,
  type Release,
  type RequestedSource,
  releaseOf,
  type SourceKind,
  type SourceLayout,
  sourceKinds,
  type VcfKind,
} from '@ploidy/formats';
import { readSource } from '../decompressed-source.ts';
import { type Beginning, readBeginning } from '../vcf/beginning.ts';
import { isBcfFile } from '../vcf/vcf-text.ts';

/** Layout of a table with its first record. */
export type OpenedTable = SourceLayout & { first: readonly string[] };

/** Annotation file of a known kind, with its release. */
type OpenedSource = { release: Release } & (
  | { kind: VcfKind; beginning: Beginning }
  | { layout: OpenedTable }
);

const headBytes = 256 * 1024;

/** Recognises the source of an annotation file. Rejects with `InputError` for a file of no kind, or not of the requested one. */
export async function openSource(
  path: string,
  fileName: string,
  requested: RequestedSource | undefined,
): Promise<OpenedSource> {
  const named = requested?.kind;
  if (named !== undefined && !sourceKinds.some(({ name }) => name === named))
    throw new InputError(`There is no kind of annotation ${named}. ${allKinds()}`);
  const head = await headOf(path);
  if (head.length === 0) throw new InputError('The file is empty.');
  const release = (kind: SourceKind, header: readonly string[]): Release =>
    releaseOf(kind, { header, fileName, requested });
  if (isVcf(head.slice(0, 100).join('\n')) || (await isBcfFile(path))) {
    const beginning = await readBeginning(path);
    const kind = kindOfVcf(beginning.headerLines, named);
    if (!kind) throw otherForm(named ?? '', 'a VCF');
    return { kind, beginning, release: release(kind, beginning.headerLines) };
  }
  const layout = kindOfTable(head, named);
  if (!layout && named !== undefined) throw otherForm(named, 'another file');
  if (!layout)
    throw new InputError(`The file is no VCF and no known annotation source. ${allKinds()}`, { line: 1 });
  const first = fieldsOf(head[layout.linesBefore] ?? '', layout.delimiter);
  return {
    layout: { ...layout, first },
    release: release(layout.kind, head.slice(0, layout.linesBefore)),
  };
}

/** Returns the release of an annotation file; undefined for one that cannot be read: its conversion reports why. */
export async function releaseOfFile(
  path: string,
  fileName: string,
  requested: RequestedSource | undefined,
): Promise<Release | undefined> {
  try {
    return (await openSource(path, fileName, requested)).release;
  } catch (error) {
    if (error instanceof InputError) return undefined;
    throw error;
  }
}

const allKinds = (): string => `Kinds: ${sourceKinds.map(({ name }) => name).join(', ')}.`;

const otherForm = (kind: string, found: string): InputError =>
  new InputError(`The file has not the form of ${kind}: it is ${found}.`, { line: 1 });

/** Reads the first lines of a file, without a line that may go on. */
async function headOf(path: string): Promise<string[]> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readSource(path, { chunkBytes: headBytes })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= headBytes) break;
  }
  if (size === 0) return [];
  const lines = Buffer.concat(chunks).toString('utf8').split('\n');
  if (size >= headBytes && lines.length > 1) lines.pop();
  return lines.map((line) => line.replace(/\r$/, ''));
}
