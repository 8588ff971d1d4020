/** Rule for the main thread of the service: it reads nothing whose size a file decides. */
import { packageOf } from './arrows.ts';
import type { SourceFile } from './source.ts';

/** Doors that only describe: tables, names, codes. They read no bytes of files. */
const descriptions =
  /^@ploidy\/formats\/(?:amino-acids|annotation-release|chromosomes|genome-build|input-error|nearest|tables)$|^@ploidy\/converters\/(?:file-tables|fill)$/;

/** Other values that the main thread may use, each with what bounds it. */
const bounded: Readonly<Record<string, string>> = {
  codeSystems: 'a constant',
  converters: 'the addresses of the modules that workers load',
  formats: 'the list of formats',
  formatsThatPublish: 'a list of names',
  recognise: 'the first 64 KiB of a file',
  releaseOfFile: 'the lines before the first record',
  sourceKinds: 'a constant',
  readReferences: 'a list that a worker wrote, some lines at a time',
  blockBytesMax: 'a constant',
  endOfFileBlock: 'a constant',
  endOfCram: 'a constant',
  genomeBuildNamed: 'a pattern on one name',
  genomeBuildOfHeader: 'the names and lengths of at most 10,000 sequences',
  blockStartOf: 'arithmetic on one number',
  virtualOffset: 'arithmetic on one number',
  withinBlock: 'arithmetic on one number',
  isBcf: 'the first 4 KiB of a file',
  isBlockStart: 'the first 4 KiB of a file',
  isGzipStart: 'the first 4 KiB of a file',
  readBlock: 'the header of one block',
  readTrailer: 'the end of one block',
  writeBlock: 'one block of 64 KiB',
  isObject: 'a test of one value',
  parseJson: 'a document of an EHR server, up to 8 MiB',
  withPlainKeys: 'the body of a request',
  escapedKey: 'a constant',
  isR4: 'a resource of a page, which ends at 4 million characters',
  parametersOf: 'a constant',
  resourceType: 'a constant',
  resourceTypes: 'a constant',
  takenTypes: 'a constant',
  resourceBytesMax: 'a constant',
  footerBytes: 'a constant number of bytes',
  parquetTailBytes: 'a constant',
  NoParquet: 'an error',
  bindParameters: 'a statement of 64 KiB',
  parameterFault: 'a value of 10,000 characters',
  parameterNames: 'a statement of 64 KiB',
  parameterTypes: 'a constant',
  excerptOf: 'the footer of a file that the service wrote, up to 32 MiB',
  rowsInFooter: 'the footer of a file that the service wrote',
};

const entry = 'packages/server/src/main.ts';
const namedImport = /\bimport\s+(type\s+)?\{([^}]*)\}\s*from\s*'(@ploidy\/(?:formats|converters)[^']*)'/g;
const awaitedImport =
  /\b(?:const|let)\s*\{([^}]*)\}\s*=\s*await import\(\s*'(@ploidy\/(?:formats|converters)[^']*)'/g;

/** Reports imports of the main thread by which it could read bytes of files without a bound. Threads are loaded by address, not imported. */
export function unboundedReads(files: readonly SourceFile[]): string[] {
  return loadedBy(entry, files)
    .filter(({ path }) => packageOf(path) === 'server' && !path.includes('/admin/generate/'))
    .flatMap(({ path, code }) =>
      valuesOf(code)
        .filter((name) => !Object.hasOwn(bounded, name))
        .map((name) => `${path} imports ${name}: read files in a worker or a thread, or say what bounds it`),
    );
}

/** Returns the files that a process loads which starts with one of them. */
function loadedBy(first: string, files: readonly SourceFile[]): SourceFile[] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const loaded = new Set<SourceFile>();
  const load = (path: string): void => {
    const file = byPath.get(path);
    if (!file || loaded.has(file)) return;
    loaded.add(file);
    for (const one of file.imports) if (one.kind !== 'type' && one.file !== undefined) load(one.file);
  };
  load(first);
  return [...loaded];
}

function valuesOf(code: string): string[] {
  const statics = [...code.matchAll(namedImport)].map(([, type, names = '', door = '']) => ({
    names: type === undefined ? names : '',
    door,
  }));
  const dynamics = [...code.matchAll(awaitedImport)].map(([, names = '', door = '']) => ({ names, door }));
  return [...statics, ...dynamics]
    .filter(({ door }) => !descriptions.test(door))
    .flatMap(({ names }) => names.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => name.split(/\s+as\s+|\s*:\s*/)[0] ?? '');
}
