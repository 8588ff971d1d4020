/** The requirements of OWASP ASVS, each with the tests that name it or the sentence that replaces them. */

export interface Requirement {
  number: string;
  level: string;
  words: string;
  chapter: string;
  /** Sentence in place of a test, beginning with its kind. */
  sentence: string | undefined;
}

/** A test that names a requirement in the line above it. */
export interface Tag {
  number: string;
  path: string;
  test: string;
}

const requirementLine = /^(\d+\.\d+\.\d+) ([12]) ([^|]+?)(?: \| (.+))?$/;
const kinds = ['document', 'by design', 'operator', 'not applicable', 'not met'];
const wordsMax = 12;

/** Reads the list of requirements: a line each, below the line of its chapter. */
export function readRequirements(text: string): Requirement[] {
  let chapter = '';
  return text.split('\n').flatMap((line) => {
    const [, number, level = '', words = '', sentence] = requirementLine.exec(line) ?? [];
    if (number !== undefined) return [{ number, level, words, chapter, sentence }];
    if (line !== '' && !line.startsWith('#')) chapter = line;
    return [];
  });
}

const tagLine = /^\s*\/\/ asvs:(.*)$/;
const testLine = /^\s*(?:test|testOn\w+|describe\w*)\((?:(['"`])(.+?)\1)?/;

/** Reads what tests name: a comment `asvs: 1.2.3, 4.5.6` directly above a test. */
export function readTags(path: string, text: string): Tag[] {
  const lines = text.split('\n');
  return lines.flatMap((line, at) => {
    const [, numbers] = tagLine.exec(line) ?? [];
    if (numbers === undefined) return [];
    // Above a loop of tests it precedes the loop.
    const isLoop = /^\s*for \(/.test(lines[at + 1] ?? '');
    const place = isLoop ? lines.findIndex((one, index) => index > at && testLine.test(one)) : at + 1;
    const found = testLine.exec(lines[place] ?? '');
    // The formatter puts a long name into the line after.
    const name = found ? (found[2] ?? /(['"`])(.+?)\1/.exec(lines[place + 1] ?? '')?.[2] ?? '') : '';
    return numbers.split(',').map((number) => ({ number: number.trim(), path, test: name }));
  });
}

/** Returns each fault of list and tags: untested and unexplained requirements, and tags without one. */
export function faultsIn(
  requirements: readonly Requirement[],
  tags: readonly Tag[],
  exists: (path: string) => boolean,
): string[] {
  const known = new Set(requirements.map(({ number }) => number));
  const tagged = new Set(tags.map(({ number }) => number));
  return [
    ...tags.flatMap(({ number, path, test }) => [
      ...(known.has(number) ? [] : [`${path} names ${number}, which is no requirement of levels 1 and 2`]),
      ...(test === '' ? [`${path} names ${number} above no test`] : []),
    ]),
    ...requirements.flatMap(({ number, words, sentence }) => {
      const [kind = '', rest = ''] = sentence?.split(/: (.*)/) ?? [];
      if (words.split(' ').length > wordsMax) return [`${number} has more than ${wordsMax} words`];
      if (sentence === undefined)
        return tagged.has(number) ? [] : [`${number} has neither test nor sentence`];
      if (!kinds.includes(kind) || rest === '') return [`${number} begins with none of ${kinds.join(', ')}`];
      if (kind === 'document' && !exists(rest)) return [`${number} names ${rest}, which does not exist`];
      if (kind !== 'document' && kind !== 'operator' && tagged.has(number))
        return [`${number} is tested: drop its sentence`];
      return [];
    }),
  ];
}

/** Returns the table in Markdown, a section a chapter. */
export function printed(requirements: readonly Requirement[], tags: readonly Tag[]): string {
  const byNumber = Map.groupBy(tags, ({ number }) => number);
  const chapters = Map.groupBy(requirements, ({ chapter }) => chapter);
  return [...chapters]
    .flatMap(([chapter, rows]) => {
      const lines = rows.map(({ number, level, words, sentence }) => {
        const tests = (byNumber.get(number) ?? []).map(({ path, test }) => `${test} (\`${path}\`)`);
        return `| ${number} | ${level} | ${words} | ${[...tests, ...(sentence ? [sentence] : [])].join('; ')} |`;
      });
      return [
        `## ${chapter}`,
        '',
        '| number | level | requirement | held by |',
        '|---|---|---|---|',
        ...lines,
        '',
      ];
    })
    .join('\n');
}
