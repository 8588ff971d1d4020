/** Word rules of docs/glossary.md over comments, identifiers, test names and public texts. */
import {
  apiOpening,
  commentOpening,
  functionOpening,
  identifiers,
  lineOpening,
  nameOpening,
  sentenceWordsMax,
  summaryOpening,
  valueOpening,
  words,
} from './rules.ts';

export interface Finding {
  path: string;
  line: number;
  rule: string;
  text: string;
}

/** Finds words in the comments, names and sentences of TypeScript or Python, or in the prose of a Markdown file. */
export function findingsIn(path: string, text: string): Finding[] {
  const found = path.endsWith('.md')
    ? prose(text)
    : path.endsWith('.py')
      ? [...docstrings(text), ...sentences(path, text)]
      : [
          ...comments(path, text),
          ...testNames(text),
          ...sentences(path, text),
          ...elementTexts(path, text),
          ...names(path, text),
        ];
  return found.map((one) => ({ path, ...one }));
}

/** Finds words in the summaries and descriptions of an OpenAPI document. */
export function findingsInApi(path: string, document: unknown): Finding[] {
  const found: Finding[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, part] of Object.entries(value)) {
      if ((key !== 'description' && key !== 'summary') || typeof part !== 'string') visit(part);
      else {
        const rules = rulesOf(part, apiOpening);
        if (key === 'summary' && !summaryOpening.test(part)) rules.push('a summary begins with a verb');
        for (const rule of rules) found.push({ path, line: 0, rule, text: part });
      }
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

function comments(path: string, text: string): Found[] {
  const pattern = /\/\*\*?([\s\S]*?)\*\/|(?<=^|[\s;,({[])\/\/(?!\/)([^\n]*(?:\n[ \t]*\/\/[^\n]*)*)/g;
  return [...text.matchAll(pattern)].flatMap(({ 0: whole, 1: block, 2: lines, index }) => {
    if (isTextOfCode(text, index)) return [];
    const plain = (block ?? lines ?? '')
      .replace(/^ *\* {5,}.*$/gm, '')
      .replace(/\n\s*(?:\*|\/\/)/g, '\n')
      .trim();
    if (/^(?:biome-ignore|asvs:)/.test(plain)) return [];
    const opening = whole.startsWith('/**') ? commentOpening : lineOpening;
    const rules = [...rulesOf(plain, opening), ...lengthOf(plain)];
    if (whole.startsWith('/**') && !path.endsWith('.tsx'))
      rules.push(...subjectOf(plain, text.slice(index + whole.length)));
    return rules.map((rule) => ({ line: lineAt(text, index), rule, text: plain.replace(/\s+/g, ' ') }));
  });
}

/** Compares the opening of a comment with what is declared behind it. */
function subjectOf(comment: string, behind: string): string[] {
  const [line = ''] = behind.replace(/^\n/, '').split('\n', 1);
  if (/^\s*(?:export )?(?:async )?function\b/.test(line) && functionOpening.test(comment))
    return ['the comment of a function begins with a verb'];
  if (/^\s*(?:export )?(?:interface \w|type \w+ = (?!\())/.test(line) && valueOpening.test(comment))
    return ['the comment of a type begins with a noun'];
  return [];
}

/** Lines of a Markdown file, without blocks of code. */
function prose(text: string): Found[] {
  const plain = text.replace(/^ *```[\s\S]*?^ *```/gm, (block) => block.replace(/[^\n]/g, ''));
  return plain
    .split('\n')
    .flatMap((line, index) => rulesOf(line).map((rule) => ({ line: index + 1, rule, text: line.trim() })));
}

/** Doc comments, line comments and names of tests in Python. */
function docstrings(text: string): Found[] {
  const docs = [
    ...text.matchAll(/(?:^|(\b(?:def|class) [^\n]*:|\) -> [^\n]*:)?\n\s+)"""([\s\S]*?)"""/g),
  ].flatMap(({ 1: head = '', 2: plain = '', index }) => {
    const isClass = head.startsWith('class');
    const opening = isClass ? valueOpening : functionOpening;
    const subject = head !== '' && opening.test(plain) ? [`begins with a ${isClass ? 'noun' : 'verb'}`] : [];
    return [...rulesOf(plain, commentOpening), ...lengthOf(plain), ...subject].map((rule) => ({
      line: lineAt(text, index),
      rule,
      text: plain.replace(/\s+/g, ' ').trim(),
    }));
  });
  const lines = [...text.matchAll(/(?<=^|\s)# ([^\n]*(?:\n\s*# [^\n]*)*)/g)].flatMap(
    ({ 1: comment = '', index }) => {
      const plain = comment.replace(/\n\s*# /g, '\n');
      return [...rulesOf(plain, lineOpening), ...lengthOf(plain)].map((rule) => ({
        line: lineAt(text, index),
        rule,
        text: plain,
      }));
    },
  );
  const tests = [...text.matchAll(/def test_(\w+)\(/g)].flatMap(({ 1: word = '', index }) => {
    const name = word.replaceAll('_', ' ');
    return rulesOf(name, nameOpening).map((rule) => ({ line: lineAt(text, index), rule, text: name }));
  });
  return [...docs, ...lines, ...tests];
}

function testNames(text: string): Found[] {
  const pattern = /\b(?:test\w*|it|describe\w*)\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g;
  return [...text.matchAll(pattern)].flatMap(({ 2: name = '', index }) =>
    [...rulesOf(name, nameOpening), ...lengthOf(name)].map((rule) => ({
      line: lineAt(text, index),
      rule,
      text: name,
    })),
  );
}

/** Identifiers, except in code that only quotes others' names: strings are left out. */
function names(path: string, text: string): Found[] {
  if (!/\.tsx?$/.test(path)) return [];
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*|'(?:\\.|[^'\\\n])*'/gm, (part) =>
    part.replace(/[^\n]/g, ' '),
  );
  return identifiers.flatMap(([pattern, rule]) =>
    [...code.matchAll(pattern)].map(({ 0: name, index }) => ({
      line: lineAt(code, index),
      rule,
      text: name,
    })),
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

/** Blanks out code, quotations and addresses, which are not ours to word. */
function ownWords(text: string): string {
  return text.replace(/`[^`]*`|"[^"]*"/g, 'X').replace(/https?:\S+/g, 'X');
}

function rulesOf(text: string, opening?: RegExp): string[] {
  const own = ownWords(text).replace(/\s+/g, ' ');
  const found = words.filter(([pattern]) => pattern.test(own)).map(([, rule]) => rule);
  return opening?.test(text) ? [...found, 'begins with a verb or a noun'] : found;
}

/** Returns the rule against long sentences if there is one; parentheses hold their own. */
function lengthOf(text: string): string[] {
  const isLong = ownWords(text)
    .replace(/\([^()]*\)/g, '')
    .split(/[.!?;:](?:\s+|$)|\n\s*\n|\n\s*(?=[-*] |\d+\. )/)
    .some((sentence) => sentence.split(/\s+/).filter((word) => /\w/.test(word)).length > sentenceWordsMax);
  return isLong ? [`at most ${sentenceWordsMax} words a sentence`] : [];
}

/** Reports whether a comment mark lies within a string of its line, such as an address. */
function isTextOfCode(text: string, index: number): boolean {
  const before = text.slice(text.lastIndexOf('\n', index) + 1, index);
  return (before.match(/(?<!\\)['"`]/g) ?? []).length % 2 === 1;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
