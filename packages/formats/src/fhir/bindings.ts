/** Codes that FHIR itself defines for an element, and requires (R4 §4.1.5, "required"). */
import { type Extract, first, type Leaf, noteUnknown, type Path, type Reading } from './extract.ts';
import { isObject, type JsonObject, type JsonValue } from './json.ts';

/** Codes of all versions of FHIR, and what other standards and spellings have in their place. */
interface Binding {
  codes: ReadonlySet<string>;
  words: ReadonlyMap<string, string>;
}

function binding(codes: string, words: Record<string, string> = {}): Binding {
  return { codes: new Set(codes.split(' ')), words: new Map(Object.entries(words)) };
}

// HL7 v2.5.1, table 0001; German and French certificates.
const gender = binding('male female other unknown', {
  ...{ m: 'male', man: 'male', männlich: 'male', masculin: 'male', homme: 'male' },
  ...{ f: 'female', w: 'female', woman: 'female', weiblich: 'female', féminin: 'female', femme: 'female' },
  ...{ o: 'other', a: 'other', un: 'other', d: 'other', x: 'other', divers: 'other', 'non-binary': 'other' },
  ...{ u: 'unknown', unk: 'unknown', unbekannt: 'unknown', inconnu: 'unknown', 'not-stated': 'unknown' },
});
const errorStates = 'entered-in-error unknown';
const medicationStates = `active on-hold cancelled completed stopped draft ended intended not-taken recorded ${errorStates}`;
// HL7 v2.5.1, table 0085.
const results = {
  f: 'final',
  p: 'preliminary',
  c: 'corrected',
  completed: 'final',
  complete: 'final',
  x: 'cancelled',
  d: 'entered-in-error',
};
const certainties = 'unconfirmed presumed provisional differential confirmed refuted';
const complete = { complete: 'completed', done: 'completed' };

/** Bindings by element, then by type. `*`: of every type that has the element. */
export const bindings: Readonly<Record<string, Readonly<Record<string, Binding>>>> = {
  gender: { Patient: gender },
  status: {
    Encounter: binding(
      `planned arrived triaged in-progress onleave on-hold finished discharged completed cancelled discontinued ${errorStates}`,
    ),
    FamilyMemberHistory: binding('partial completed entered-in-error health-unknown', complete),
    Immunization: binding('completed not-done in-progress on-hold stopped entered-in-error', complete),
    Media: binding(
      `preparation in-progress not-done on-hold suspended stopped aborted completed ${errorStates}`,
      complete,
    ),
    MedicationRequest: binding(medicationStates),
    MedicationStatement: binding(medicationStates, complete),
    MedicationAdministration: binding(
      `in-progress not-done on-hold completed stopped ${errorStates}`,
      complete,
    ),
    MedicationDispense: binding(
      `preparation in-progress cancelled on-hold completed stopped declined not-done draft ${errorStates}`,
      complete,
    ),
    Observation: binding(
      `registered specimen-in-process preliminary final amended corrected appended cancelled cannot-be-obtained ${errorStates}`,
      results,
    ),
    Procedure: binding(
      `preparation in-progress not-done on-hold suspended stopped aborted completed ${errorStates}`,
      complete,
    ),
    Specimen: binding('available unavailable unsatisfactory entered-in-error'),
  },
  intent: {
    MedicationRequest: binding(
      'proposal plan directive order original-order reflex-order filler-order instance-order option',
    ),
  },
  type: { AllergyIntolerance: binding('allergy intolerance') },
  category: {
    AllergyIntolerance: binding('food medication environment biologic', { drug: 'medication' }),
  },
  criticality: {
    AllergyIntolerance: binding('low high unable-to-assess', {
      ...{ critl: 'low', crith: 'high', critu: 'unable-to-assess' },
    }),
  },
  'reaction.severity': {
    AllergyIntolerance: binding('mild moderate severe', { mi: 'mild', mo: 'moderate', sv: 'severe' }),
  },
  clinicalStatus: {
    AllergyIntolerance: binding('active inactive resolved'),
    Condition: binding('active recurrence relapse inactive remission resolved unknown'),
  },
  verificationStatus: { '*': binding(`${certainties} ${errorStates}`) },
  'timing.repeat.periodUnit': {
    '*': binding('s min h d wk mo a', {
      ...{ second: 's', seconds: 's', minute: 'min', minutes: 'min', hour: 'h', hours: 'h', hr: 'h' },
      ...{ day: 'd', days: 'd', week: 'wk', weeks: 'wk', month: 'mo', months: 'mo', year: 'a', years: 'a' },
    }),
  },
};

/** Spellings that all value sets share. */
const spellings: ReadonlyMap<string, string> = new Map([
  ['canceled', 'cancelled'],
  ['error', 'entered-in-error'],
]);

/** Returns the code that a text stands for, whatever its case, blanks and hyphens; undefined if there is none. */
function codeIn({ codes, words }: Binding, text: string): string | undefined {
  if (codes.has(text)) return text;
  const plain = text
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  const code = words.get(plain) ?? spellings.get(plain) ?? plain;
  return codes.has(code) ? code : undefined;
}

/** Elements that decide whether what a resource names is so (FHIR, isModifier). */
const deciding = ['status', 'verificationStatus'] as const;

/** Returns such an element of a resource whose word FHIR does not define. */
export function undefinedStatus(resource: JsonObject, resourceType: string): string | undefined {
  return deciding.find((element) => {
    const bound = bindings[element]?.[resourceType] ?? bindings[element]?.['*'];
    const value = resource[element];
    if (!bound || value === undefined || (typeof value === 'string' && bound.codes.has(value))) return false;
    const texts = textsOf(value);
    return texts.length > 0 && texts.every((text) => codeIn(bound, text) === undefined);
  });
}

/** Texts of a code, or of the codings of a concept and its words. */
function textsOf(value: JsonValue, path: Path = [], reading?: Reading): string[] {
  if (typeof value === 'string') return [value];
  if (!isObject(value)) return [];
  const listed = value['coding'];
  const codings = (Array.isArray(listed) ? listed : [listed]).filter(isObject);
  const codes = codings.map(({ code }) => code);
  if (reading?.hasExtended)
    for (const coding of codings)
      noteUnknown(coding, 'code', [...path, 'coding', 'code'], path.length + 1, reading);
  return [...codes, value['text']].filter((text) => typeof text === 'string' && text !== '') as string[];
}

/** Reads a code of FHIR's own; other words are left out and reported. Throws for a path without a binding. */
export function boundCode(path: string): Extract {
  const known = bindings[path];
  if (!known) throw new Error(`No value set is bound to ${path}.`);
  const leaf: Leaf<string> = (value, steps, reading) => {
    const bound = known[reading.resourceType] ?? known['*'];
    if (!bound) return undefined;
    if (typeof value === 'string' && bound.codes.has(value)) return value;
    const texts = textsOf(value, steps, reading);
    for (const text of texts) {
      const code = codeIn(bound, text);
      if (code !== undefined) return code;
    }
    if (value !== '' && (texts.length > 0 || !isObject(value)))
      reading.unreadable(steps.join('.'), `one of ${[...bound.codes].join(', ')}`);
    return undefined;
  };
  return first([path], leaf);
}
