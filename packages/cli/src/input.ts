import { readFileSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import { InvalidArgumentError } from 'commander';
import { CommandError, exitCodes } from './exit.ts';

/** Reads a text of the user: a local file, or standard input for `-`. */
export async function readText(path: string): Promise<string> {
  if (path === '-') return textOf(process.stdin);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CommandError(`${path} cannot be read: ${(error as Error).message}`, exitCodes.usage);
  }
}

/** Reads a JSON document. */
export async function readJson<T>(path: string): Promise<T> {
  const text = await readText(path);
  try {
    return JSON.parse(text) as T;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const place = path === '-' ? 'Standard input' : path;
    throw new CommandError(`${place} is not JSON: ${error.message}`, exitCodes.usage);
  }
}

/** Reads a secret from a file or standard input: on the command line it would be in the list of processes. */
export async function readSecret(path: string): Promise<string> {
  return (await readText(path)).replace(/\r?\n$/, '');
}

/** Collects the values of an option that may be repeated. */
export const collect = (word: string, before: string[] = []): string[] => [...before, word];

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out the fields without a value. */
export function definedOf<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** Parses an option that is a whole number from 1. */
export function positiveNumber(word: string): number {
  const number = wholeNumber(word);
  if (number === 0) throw new InvalidArgumentError('It should be at least 1.');
  return number;
}

/** Parses an option that is a whole number. */
export function wholeNumber(word: string): number {
  if (!/^\d{1,9}$/.test(word)) throw new InvalidArgumentError('It should be a whole number.');
  return Number(word);
}
