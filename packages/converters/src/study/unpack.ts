import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  InputError,
  kindOfMeta,
  type Meta,
  type MetaKind,
  metaCharactersMax,
  readMeta,
} from '@ploidy/formats';
import { readSource } from '../decompressed-source.ts';
import { isTar, type Member, tarMembers } from './tar.ts';
import { isZip, zipMembers } from './zip.ts';

/** File of a study on this disk, under a name of ours: names of an archive are never paths. */
export interface StudyFile {
  /** Name in the archive. */
  name: string;
  path: string;
  size: number;
  /** Set if it is a pointer to a file of Git LFS instead of the file. */
  isPointer: boolean;
  /** Bytes 0, which were left out. */
  zeroCount: number;
}

/** Meta file of a study. `kind` is undefined for data that have no table. */
export interface StudyMeta {
  name: string;
  values: Meta;
  kind: MetaKind | undefined;
}

/** An unpacked study. */
export interface Study {
  metas: readonly StudyMeta[];
  /** Data files by name; those of `metas` are not among them. */
  files: ReadonlyMap<string, StudyFile>;
}

const membersMax = 5000;
/** Bytes of all files; a small archive can hold more than any disk. */
const unpackedBytesMax = 64 * 2 ** 30;
const pointerStart = 'version https://git-lfs.github.com/spec/';

/** Unpacks a study from an archive (tar, tar.gz, zip) into a folder. Throws `InputError` for other files and broken archives. */
export async function unpack(
  source: string,
  folder: string,
  onRead: (bytes: number) => void,
): Promise<Study> {
  const metas: StudyMeta[] = [];
  const files = new Map<string, StudyFile>();
  let [count, bytes] = [0, 0];
  for await (const member of await membersOf(source, onRead)) {
    const name = member.name.replace(/^(?:\.\/)+/, '');
    // Files of macOS with attributes of others.
    if (/(?:^|\/)(?:__MACOSX\/|\._|\.DS_Store$|\.git\/)/.test(name)) continue;
    count += 1;
    bytes += member.size;
    if (count > membersMax)
      throw new InputError(`The archive has more than ${membersMax} files: pack one study.`);
    if (bytes > unpackedBytesMax) throw new InputError('The unpacked study is larger than 64 GiB.');
    const file = await written(member, name, join(folder, `${count}`));
    const text = file.size <= metaCharactersMax ? await textOf(file.path) : '';
    const values = file.isPointer ? undefined : readMeta(text);
    if (values) metas.push({ name, values, kind: kindOfMeta(values) });
    else files.set(name, file);
  }
  return { metas, files };
}

/** Returns the data file that a meta file names, which is in the same folder. */
export function dataOf({ files }: Study, meta: StudyMeta): StudyFile | undefined {
  const name = meta.values.get('data_filename') ?? '';
  const folder = dirname(meta.name);
  return files.get(folder === '.' ? name : `${folder}/${name}`);
}

async function membersOf(source: string, onRead: (bytes: number) => void): Promise<AsyncIterable<Member>> {
  const head = await headOf(source);
  if (isZip(head)) return zipMembers(source, onRead);
  if (isTar(head)) return tarMembers(readSource(source, { onRead }));
  throw new InputError('This is no archive of a study: pack its folder as .tar.gz or .zip.');
}

/** Unpacked bytes within which the files of a study are looked for. */
const searchBytesMax = 64 << 20;
const ofStudy = /(?:^|\/)(?:meta_[^/]*|case_lists\/[^/]+)\.txt$/;

/** Returns whether an archive names files of a study near its start. `head`: its first unpacked bytes. */
export async function isStudyArchive(path: string, head: Uint8Array): Promise<boolean> {
  if (!isZip(head) && !isTar(head)) return false;
  let bytes = 0;
  try {
    for await (const { name, size } of await membersOf(path, () => undefined)) {
      if (ofStudy.test(name)) return true;
      bytes += isTar(head) ? size : 0;
      if (bytes > searchBytesMax) return false;
    }
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
  return false;
}

/** Returns the first unpacked bytes of a file. */
async function headOf(source: string): Promise<Buffer> {
  for await (const chunk of readSource(source)) return chunk;
  return Buffer.alloc(0);
}

/** Writes a file without bytes 0, which some programs leave in texts. */
async function written(member: Member, name: string, path: string): Promise<StudyFile> {
  const file = await open(path, 'wx', 0o600);
  let [size, zeroCount] = [0, 0];
  let start = '';
  try {
    for await (const chunk of member.bytes()) {
      const clean = chunk.includes(0) ? chunk.filter((byte) => byte !== 0) : chunk;
      zeroCount += chunk.length - clean.length;
      if (start.length < pointerStart.length) start += Buffer.from(clean.subarray(0, 64)).toString('latin1');
      size += clean.length;
      await file.write(clean);
    }
  } finally {
    await file.close();
  }
  return { name, path, size, isPointer: start.startsWith(pointerStart), zeroCount };
}

async function textOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

const lineCharactersMax = 64 << 20;

/** Returns the lines of a data file without their ends, and the number of each. */
export async function* linesOf(path: string): AsyncGenerator<{ text: string; line: number }> {
  const decoder = new TextDecoder();
  let [rest, line] = ['', 0];
  for await (const chunk of readSource(path)) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = pieces.pop() ?? '';
    if (rest.length > lineCharactersMax) throw new InputError('A line is too long.', { line: line + 1 });
    for (const text of pieces) yield { text: text.replace(/\r$/, ''), line: ++line };
  }
  rest += decoder.decode();
  if (rest !== '') yield { text: rest.replace(/\r$/, ''), line: line + 1 };
}
