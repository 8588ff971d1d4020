import { tarBytes } from '@ploidy/client';

/** File with its path below what was dropped. */
export interface Dropped {
  file: File;
  name: string;
}

/** Folder that holds a study of cBioPortal. */
interface StudyFolder {
  name: string;
  files: Dropped[];
}

/** Largest meta file that is looked into, in bytes; real ones have a few hundred. */
const metaBytesMax = 16 * 1024;

/** Reports whether a text is the meta file of a study: files of studies are recognised by what they hold, not by their names. */
export function isStudyMeta(text: string): boolean {
  const keys = new Set(text.split('\n').map((line) => line.slice(0, line.indexOf(':')).trim()));
  return keys.has('cancer_study_identifier') && keys.has('type_of_cancer');
}

/** Divides dropped files into folders that hold a study, whole as they were dropped, and all others. */
export async function studiesIn(
  dropped: readonly Dropped[],
): Promise<{ studies: StudyFolder[]; others: Dropped[] }> {
  const folders = Map.groupBy(dropped, ({ name }) =>
    name.includes('/') ? name.slice(0, name.indexOf('/')) : '',
  );
  const studies: StudyFolder[] = [];
  const others: Dropped[] = [];
  for (const [name, files] of folders)
    if (name !== '' && (await holdsStudy(files))) studies.push({ name, files });
    else others.push(...files);
  return { studies, others };
}

async function holdsStudy(files: readonly Dropped[]): Promise<boolean> {
  for (const { file } of files)
    if (file.size > 0 && file.size <= metaBytesMax && isStudyMeta(await file.text())) return true;
  return false;
}

/** Packs a study into one archive, as the service reads it; the archive of the same files is the same. */
export async function packed({ name, files }: StudyFolder): Promise<File> {
  // Small files first: those are the meta files, by which a study is recognised.
  const entries = files
    .toSorted((one, other) => one.file.size - other.file.size)
    .map(({ file, name: path }) => ({ name: path, size: file.size, read: () => chunksOf(file) }));
  const bytes = tarBytes(entries);
  const archive = new ReadableStream<BufferSource>({
    async pull(queue) {
      const { done, value } = await bytes.next();
      if (done) queue.close();
      else queue.enqueue(value as BufferSource);
    },
  });
  const blob = await new Response(archive.pipeThrough(new CompressionStream('gzip'))).blob();
  const lastModified = Math.max(...files.map(({ file }) => file.lastModified));
  return new File([blob], `${name}.tar.gz`, { type: 'application/gzip', lastModified });
}

/** Yields the bytes of a file; streams cannot be iterated in every browser. */
async function* chunksOf(file: File): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
}
