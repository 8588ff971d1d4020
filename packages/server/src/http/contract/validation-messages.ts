import type { ErrorObject } from 'ajv';
import type { ProblemDetail } from '../../base/problem.ts';

/** Maximum values in a message. */
const namedMax = 20;

/**
 * Turns the errors of ajv in a part of a request into messages, one for each path. Ajv must report all errors, with their schemas
 * (`allErrors`, `verbose`).
 */
export function detailsOf(errors: readonly ErrorObject[], part: string, detailsMax: number): ProblemDetail[] {
  const details = new Map<string, ProblemDetail>();
  for (const error of reduceUnions(errors)) {
    const path = `${part}${error.instancePath}${fieldName(error)}`;
    // An empty string breaks `minLength` and `pattern`: one message is enough.
    if (!details.has(path)) details.set(path, { path, message: sentenceOf(error) });
    if (details.size === detailsMax) break;
  }
  return [...details.values()];
}

/** Reduces the errors of every alternative of an `anyOf` to those that help. */
function reduceUnions(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    const isUnion = error.keyword === 'anyOf';
    const found = isUnion ? kept.splice(kept.findLastIndex((one) => !isWithin(one, error)) + 1) : [];
    // Pushed one by one: a large body has more errors than a call may have arguments.
    for (const one of isUnion ? errorsOfUnion(error, found) : [error]) kept.push(one);
  }
  return kept;
}

function isWithin(error: ErrorObject, union: ErrorObject): boolean {
  const isBelow = `${error.instancePath}/`.startsWith(`${union.instancePath}/`);
  return isBelow && error.schemaPath.startsWith(`${union.schemaPath}/`);
}

/** Returns the errors of the alternative that has the type of the value; without one, the list of alternatives. */
function errorsOfUnion(union: ErrorObject, found: ErrorObject[]): ErrorObject[] {
  const isOtherKind = (one: ErrorObject): boolean =>
    one.instancePath === union.instancePath && ['type', 'const', 'enum'].includes(one.keyword);
  const sameKind = found.filter((one) => !isOtherKind(one));
  if (sameKind.length > 0) return sameKind;
  const choices: object[] = union.parentSchema?.['anyOf'];
  return [{ ...union, params: { choices: choices.flatMap(choiceNames) } }];
}

/** Names an alternative by its values, or by its type. */
function choiceNames(choice: { const?: unknown; enum?: unknown[]; type?: string }): string[] {
  if ('const' in choice) return [valueName(choice.const)];
  return choice.enum?.map(valueName) ?? (choice.type ? [kindName(choice.type)] : []);
}

/** Names a JSON type in plain words. */
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

/** Names the missing or unknown field. */
function fieldName({ keyword, params }: ErrorObject): string {
  if (keyword === 'required') return `/${params['missingProperty']}`;
  return keyword === 'additionalProperties' ? `/${params['additionalProperty']}` : '';
}

function sentenceOf({ keyword, params, parentSchema, message = 'is not valid' }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return 'is not known';
    case 'anyOf':
      return mustBe(params['choices']);
    case 'enum':
      return mustBe(params['allowedValues'].map(valueName));
    case 'const':
      return mustBe([valueName(params['allowedValue'])]);
    case 'type':
      return mustBe([params['type']].flat().map(kindName));
    case 'minLength':
      return minOf(params['limit'], 'character');
    case 'maxLength':
      return `must have at most ${counted(params['limit'], 'character')}`;
    case 'minItems':
      return minOf(params['limit'], 'entry', 'entries');
    case 'maxItems':
      return `must have at most ${counted(params['limit'], 'entry', 'entries')}`;
    case 'uniqueItems':
      return 'must not hold the same entry twice';
    case 'minimum':
      return `must be at least ${params['limit']}`;
    case 'maximum':
      return `must be at most ${params['limit']}`;
    case 'pattern':
      // A regular expression helps no reader.
      return parentSchema?.['description']
        ? `does not fit: ${parentSchema['description']}`
        : 'does not have the right form';
    default:
      return message;
  }
}

function minOf(limit: number, one: string, many?: string): string {
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
