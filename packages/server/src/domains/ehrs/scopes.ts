import { type JsonObject, type JsonValue, takenTypes } from '@ploidy/formats';

/** SMART App Launch: of the first version and of the second. */
const everything = { v1: 'system/*.read', v2: 'system/*.rs' };

/**
 * Scopes to ask a system for, each in turn until one is given: those that it lists, for everything, else for the types that we
 * take, in the version that it lists them in. Then those for everything: a list need not be whole (SMART App Launch 2.2,
 * "scopes_supported"), and a client may have been given less than the system knows.
 */
export function scopesToAsk({ scopes_supported: listed, capabilities }: JsonObject): string[] {
  const offered = textsOf(listed);
  const all = scopeOf('*', offered);
  const some = [...takenTypes].flatMap((type) => scopeOf(type, offered) ?? []);
  const first = all ?? some.join(' ');
  const can = textsOf(capabilities);
  const isSecondOnly = can.includes('permission-v2') && !can.includes('permission-v1');
  const guesses = isSecondOnly ? [everything.v2, everything.v1] : [everything.v1, everything.v2];
  return [...new Set(first === '' ? guesses : [first, ...guesses])];
}

/** What reads and searches the type, if it is among the scopes that are offered: alone, or as a part of one. */
function scopeOf(type: string, offered: string[]): string | undefined {
  const begins = `system/${type}.`;
  const rights = offered.filter((one) => one.startsWith(begins)).map((one) => one.slice(begins.length));
  const letters = rights.filter((right) => /^c?r?u?d?s?$/.test(right)).join('');
  if (letters.includes('r') && letters.includes('s')) return `${begins}rs`;
  return rights.some((right) => right === 'read' || right === '*') ? `${begins}read` : undefined;
}

function textsOf(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
