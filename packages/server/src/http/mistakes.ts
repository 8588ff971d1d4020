import type { ErrorObject } from 'ajv';
import type { ProblemDetail } from '../problem.ts';

/** Most values that a sentence names. */
const namedMax = 20;

/**
 * What people are told of the errors that ajv found in a part of a request: one detail a mistake. Ajv must have been asked for
 * all errors, each with its schema (`verbose`).
 */
export function detailsOf(errors: readonly ErrorObject[], part: string, detailsMax: number): ProblemDetail[] {
  const details = new Map<string, ProblemDetail>();
  for (const error of oneForEach(errors)) {
    const path = `${part}${error.instancePath}${missingName(error)}`;
    // An empty text is too short and does not have the right form: one of these is enough.
    if (!details.has(path)) details.set(path, { path, message: sentenceOf(error) });
    if (details.size === detailsMax) break;
  }
  return [...details.values()];
}

/** Ajv tells what is wrong with every choice of an `anyOf`, and then that none holds: of these only what helps is kept. */
function oneForEach(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    const isUnion = error.keyword === 'anyOf';
    const found = isUnion ? kept.splice(kept.findLastIndex((one) => !isWithin(one, error)) + 1) : [];
    // One by one: of a big body there are more than a call takes arguments.
    for (const one of isUnion ? ofChoices(error, found) : [error]) kept.push(one);
  }
  return kept;
}

function isWithin(error: ErrorObject, union: ErrorObject): boolean {
  const isBelow = `${error.instancePath}/`.startsWith(`${union.instancePath}/`);
  return isBelow && error.schemaPath.startsWith(`${union.schemaPath}/`);
}

/** What a value of the right kind lacks; for a value of no kind that is among the choices, which there are. */
function ofChoices(union: ErrorObject, found: ErrorObject[]): ErrorObject[] {
  const isOtherKind = (one: ErrorObject): boolean =>
    one.instancePath === union.instancePath && ['type', 'const', 'enum'].includes(one.keyword);
  const lacking = found.filter((one) => !isOtherKind(one));
  if (lacking.length > 0) return lacking;
  const choices: object[] = union.parentSchema?.['anyOf'];
  return [{ ...union, params: { choices: choices.flatMap(choiceNames) } }];
}

/** A choice in words: its value, or its type. */
function choiceNames(choice: { const?: unknown; enum?: unknown[]; type?: string }): string[] {
  if ('const' in choice) return [valueName(choice.const)];
  return choice.enum?.map(valueName) ?? (choice.type ? [kindName(choice.type)] : []);
}

/** What people call a type of JSON. */
function kindName(type: string): string {
  return kindNames.get(type) ?? type;
}

const kindNames: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
]);

function valueName(value: unknown): string {
  return value === '' || typeof value !== 'string' ? JSON.stringify(value) : value;
}

function missingName({ keyword, params }: ErrorObject): string {
  return keyword === 'required' ? `/${params['missingProperty']}` : '';
}

function sentenceOf({ keyword, params, parentSchema, message = 'is not valid' }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'anyOf':
      return mustBe(params['choices']);
    case 'enum':
      return mustBe(params['allowedValues'].map(valueName));
    case 'const':
      return mustBe([valueName(params['allowedValue'])]);
    case 'type':
      return mustBe([params['type']].flat().map(kindName));
    case 'minLength':
      return atLeast(params['limit'], 'character');
    case 'maxLength':
      return `must have at most ${counted(params['limit'], 'character')}`;
    case 'minItems':
      return atLeast(params['limit'], 'entry', 'entries');
    case 'maxItems':
      return `must have at most ${counted(params['limit'], 'entry', 'entries')}`;
    case 'uniqueItems':
      return 'must not hold the same entry twice';
    case 'minimum':
      return `must be at least ${params['limit']}`;
    case 'maximum':
      return `must be at most ${params['limit']}`;
    case 'pattern':
      // A regular expression is nothing for people.
      return parentSchema?.['description']
        ? `does not fit: ${parentSchema['description']}`
        : 'does not have the right form';
    default:
      return message;
  }
}

function atLeast(limit: number, one: string, many?: string): string {
  return limit === 1 ? 'must not be empty' : `must have at least ${counted(limit, one, many)}`;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

function mustBe(names: string[]): string {
  if (names.length === 1) return `must be ${names[0]}`;
  const more = names.length > namedMax ? ` and ${names.length - namedMax} more` : '';
  return `must be one of ${names.slice(0, namedMax).join(', ')}${more}`;
}
