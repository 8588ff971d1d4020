/** Word rules of docs/glossary.md over comments, test names and public texts. */

export interface Finding {
  path: string;
  line: number;
  rule: string;
  text: string;
}

/** Actors are nouns, and things do not speak. */
const words: readonly [RegExp, string][] = [
  [/\b(?:he|him|his|himself|she|her|hers)\b/i, 'no gendered pronoun'],
  [/\bwhoever\b/i, 'an actor is a noun: caller, user, client, operator, worker'],
  [/\b(?:somebody|someone)\b/i, 'an actor is a noun: caller, user, client, operator, worker'],
  [/\b(?:tells?|told)\b/i, 'things report, return, log or name; they do not tell'],
  [/\bturn(?:s|ed)? away\b/i, 'reject or refuse'],
];
const commentOpening =
  /^(?:Of|What|Who|Whoever|Whether|Which|The same|They|It|How|Where|Those|That|So many|None|Also)\b/;
/** A line comment may refer to the code below it; these openings cannot be read at all. */
const lineOpening = /^(?:Of|What|Who|Whoever|The same|Which|So many)\b/;
/** Without the openings of `commentOpening` that the document still has. */
const apiOpening = /^(?:Of|What|Who|Whoever|Whether|The same|They|It|How|Where|Those|That)\b/;
const nameOpening = /^(?:of|what|who|whoever|which|the same|they|it|so|none|also|that)\b/i;

/** Finds words in the comments, test names and sentences of a TypeScript file, or in the prose of a Markdown file. */
export function findingsIn(path: string, text: string): Finding[] {
  const found = path.endsWith('.md')
    ? prose(text)
    : [...comments(text), ...testNames(text), ...sentences(path, text), ...elementTexts(path, text)];
  return found.map((one) => ({ path, ...one }));
}

/** Finds words in the summaries and descriptions of an OpenAPI document. */
export function findingsInApi(path: string, document: unknown): Finding[] {
  const found: Finding[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      if ((key !== 'description' && key !== 'summary') || typeof part !== 'string') visit(part);
      else for (const rule of rulesOf(part, apiOpening)) found.push({ path, line: 0, rule, text: part });
    }
  };
  visit(document);
  return found;
}

const conventional = /^(?:feat|fix|style|refactor|perf|test|docs|build|ci|chore)(?:\([a-z0-9-]+\))?!?: \S/;

/** Reports commit subjects over 72 characters or without the conventional form. */
export function findingsInSubjects(subjects: readonly string[]): Finding[] {
  return subjects
    .filter((subject) => subject.length > 72 || !conventional.test(subject))
    .map((text) => ({
      path: 'commit',
      line: 0,
      rule: 'a subject is like `fix(files): …`, with at most 72 characters',
      text,
    }));
}

type Found = Omit<Finding, 'path'>;

function comments(text: string): Found[] {
  const pattern = /\/\*\*?([\s\S]*?)\*\/|(?<=^|[\s;,({[])\/\/(?!\/)([^\n]*)/g;
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, 1: block, 2: single, index }) => {
    const plain = (block ?? single ?? '').replace(/\n\s*\*/g, ' ').trim();
    if (isTextOfCode(text, index)) return [];
    const opening = whole.startsWith('/**') ? commentOpening : lineOpening;
    return rulesOf(plain, opening).map((rule) => ({ line: lineAt(text, index), rule, text: plain }));
  });
}

/** Lines of a Markdown file, without blocks of code. */
function prose(text: string): Found[] {
  const plain = text.replace(/^ *```[\s\S]*?^ *```/gm, (block) => block.replace(/[^\n]/g, ''));
  return plain
    .split('\n')
    .flatMap((line, index) => rulesOf(line).map((rule) => ({ line: index + 1, rule, text: line.trim() })));
}

function testNames(text: string): Found[] {
  const pattern = /\b(?:test\w*|it|describe\w*)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;
  return [...text.matchAll(pattern)].flatMap(({ 2: name = '', index }) =>
    rulesOf(name, nameOpening).map((rule) => ({ line: lineAt(text, index), rule, text: name })),
  );
}

/** Strings that begin with a capital and hold a blank: errors, descriptions, output of commands. */
function sentences(path: string, text: string): Found[] {
  if (/\.(?:test|fixture)\.ts$/.test(path) || !path.startsWith('packages/')) return [];
  return [...text.matchAll(/(['"`])([A-Z](?:\\.|(?!\1)[^\\\n])* (?:\\.|(?!\1)[^\\\n])*)\1/g)].flatMap(
    ({ 2: sentence = '', index }) =>
      rulesOf(sentence).map((rule) => ({ line: lineAt(text, index), rule, text: sentence })),
  );
}

/** Texts between the tags of a page. */
function elementTexts(path: string, text: string): Found[] {
  if (!path.endsWith('.tsx')) return [];
  return [...text.matchAll(/(?<=[>}])[^<>{}=;]* [^<>{}=;]*(?=[<{])/g)].flatMap(({ 0: words, index }) =>
    rulesOf(words.trim()).map((rule) => ({ line: lineAt(text, index), rule, text: words.trim() })),
  );
}

function rulesOf(text: string, opening?: RegExp): string[] {
  // Code and quotations are not ours to word.
  const prose = text.replace(/`[^`]*`|"[^"]*"/g, ' ');
  const found = words.filter(([pattern]) => pattern.test(prose)).map(([, rule]) => rule);
  return opening?.test(text) ? [...found, 'begins with a verb or a noun'] : found;
}

/** Reports whether a comment mark lies within a string of its line, such as an address. */
function isTextOfCode(text: string, index: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', index) + 1, index);
  return (before.match(/(?<!\\)['"`]/g) ?? []).length % 2 === 1;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
