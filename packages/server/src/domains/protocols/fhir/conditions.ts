import type { Place, SearchParameter } from '@ploidy/formats/fhir-r4';
import { anyPlace, type Compare, type Comparison, onceUsed } from './comparison.ts';
import { elements, folded, member, plainReference, some, texts } from './places.ts';
import { date, number, quantity } from './ranges.ts';
import { splitAt, tokenIn, unescaped, wrongValue } from './values.ts';

/** Elements that make a resource one of the patient in the column `patient_id`. */
const patientElements = new Set(['subject', 'patient', 'beneficiary', 'individual', 'for']);

/** Reports whether the column `patient_id` has the references of a parameter to patients. */
export const isOfPatient = ({ kind, places }: SearchParameter): boolean =>
  kind === 'reference' &&
  places.length === 1 &&
  places[0]?.steps.length === 1 &&
  patientElements.has(places[0].steps[0]?.name ?? '');

/** Builds the condition that a resource has one of the values of a parameter. Problem 400 for one that cannot be read. */
export function condition(
  parameter: SearchParameter,
  modifier: string | undefined,
  values: readonly string[],
  how: Comparison,
): string {
  if (modifier === 'missing' && parameter.kind !== 'composite') return missing(parameter, values);
  const compare = comparisonOf(parameter, modifier);
  const any = values.map((value) => compare(parameter, value, modifier, how)).join(' OR ');
  return modifier === 'not' ? `NOT (${any})` : `(${any})`;
}

/** Modifiers of each kind. All but composites have `missing`, and references the name of a type. */
const modifiers: Readonly<Record<SearchParameter['kind'], readonly string[]>> = {
  token: ['not', 'text', 'of-type'],
  reference: ['identifier'],
  date: [],
  number: [],
  quantity: [],
  string: ['exact', 'contains'],
  uri: ['above', 'below'],
  composite: [],
};

function comparisonOf({ name, kind }: SearchParameter, modifier: string | undefined): Compare {
  const isType = kind === 'reference' && /^[A-Z][A-Za-z]+$/.test(modifier ?? '');
  if (modifier !== undefined && !isType && !modifiers[kind].includes(modifier))
    throw wrongValue(
      name,
      kind === 'composite'
        ? 'has no modifiers'
        : `has no modifier :${modifier}; it has ${['missing', ...modifiers[kind]].join(', ')}`,
    );
  if (modifier === 'text') return words;
  if (modifier === 'of-type') return typedIdentifier;
  return compares[kind];
}

function missing({ name, places }: SearchParameter, values: readonly string[]): string {
  const [value] = values;
  if (values.length !== 1 || (value !== 'true' && value !== 'false'))
    throw wrongValue(name, ':missing must be true or false');
  const isThere = places
    .map((place) => some(elements(place), (one) => `json_type(${one}) <> 'NULL'`))
    .join(' OR ');
  return value === 'true' ? `NOT (${isThere})` : `(${isThere})`;
}

/** Members of the data types that tokens compare: the list of elements, the code and the system. */
const tokenForms: Readonly<Record<string, [inside: string, code: string]>> = {
  CodeableConcept: ['.coding[*]', 'code'],
  Coding: ['', 'code'],
  Identifier: ['', 'value'],
  ContactPoint: ['', 'value'],
};

const token: Compare = (parameter, value, _modifier, { parameters }) => {
  const { system, code } = tokenIn(value);
  if (code === undefined && !system) throw wrongValue(parameter.name, 'must be a code, or system|code');
  const wanted = {
    code: code === undefined ? undefined : parameters.add(code, 'VARCHAR'),
    system: system ? parameters.add(system, 'VARCHAR') : undefined,
  };
  const inText = code === undefined ? undefined : mayHave(code, String(wanted.code));
  const found = anyPlace(parameter, (place) => {
    const form = tokenForms[place.type];
    if (!form) {
      // The system of a plain code is stated nowhere in the resource.
      if (wanted.system !== undefined)
        throw wrongValue(parameter.name, 'has codes without a system: leave the system out');
      return some(texts(place), (text) => `${text} = ${wanted.code}`);
    }
    return some(elements(place, form[0]), (one) => tokenTest(one, form[1], system, wanted));
  });
  return inText === undefined ? found : `(${inText} AND ${found})`;
};

/**
 * Builds a condition that holds for each resource which has a code: its text has the characters of the code, or escapes by
 * which they could be written. To look for them is faster than to read JSON. `undefined`: the code may be written otherwise.
 */
function mayHave(code: string, wanted: string): string | undefined {
  // JSON escapes these, and writes lists and numbers in several ways.
  const hasForms = /["\\/[{\u0000-\u001f]/.test(code) || (/[.e]/i.test(code) && !Number.isNaN(Number(code)));
  return hasForms ? undefined : `(contains(data, ${wanted}) OR contains(data, '\\u'))`;
}

function tokenTest(
  one: string,
  codeMember: string,
  system: string | undefined,
  wanted: { code: string | undefined; system: string | undefined },
): string {
  const tests = wanted.code === undefined ? [] : [`${member(one, codeMember)} = ${wanted.code}`];
  if (wanted.system !== undefined) tests.push(`${member(one, 'system')} = ${wanted.system}`);
  else if (system === '') tests.push(`${member(one, 'system')} IS NULL`);
  return tests.join(' AND ');
}

/** Words beside a code. */
const tokenWords: Readonly<Record<string, string>> = {
  CodeableConcept: '.text',
  Coding: '.display',
  Identifier: '.type.text',
};

/** Compares the words of codes as texts (R4 §3.1.1.4.10, `:text`). */
const words: Compare = (parameter, value, _modifier, { parameters }) => {
  const places = parameter.places.filter(({ type }) => type in tokenWords);
  if (places.length === 0) throw wrongValue(parameter.name, 'has no words beside its codes');
  const wanted = folded(parameters.add(unescaped(value), 'VARCHAR'));
  const test = (place: Place) =>
    some(texts(place, tokenWords[place.type]), (text) => `starts_with(${folded(text)}, ${wanted})`);
  return anyPlace({ ...parameter, places }, test);
};

/** Compares identifiers by the code of their type: `system|code|value`. */
const typedIdentifier: Compare = (parameter, value, _modifier, { parameters }) => {
  const places = parameter.places.filter(({ type }) => type === 'Identifier');
  if (places.length === 0) throw wrongValue(parameter.name, 'has no identifiers with a type');
  const parts = splitAt(value, '|').map(unescaped);
  const [system = '', code = '', own = ''] = parts;
  if (parts.length !== 3 || code === '' || own === '')
    throw wrongValue(
      parameter.name,
      ':of-type must be system|code|value, with the code and system of a type',
    );
  const [wantedCode, wantedValue] = [code, own].map((one) => parameters.add(one, 'VARCHAR'));
  const wanted = { code: wantedCode, system: system === '' ? undefined : parameters.add(system, 'VARCHAR') };
  const coding = (one: string) =>
    `len(list_filter(json_extract(${one}, '$.type.coding[*]'), lambda t: ${tokenTest('t', 'code', system, wanted)})) > 0`;
  return anyPlace({ ...parameter, places }, (place) =>
    some(elements(place), (one) => `${member(one, 'value')} = ${wantedValue} AND ${coding(one)}`),
  );
};

/** Compares addresses; `:below` and `:above` by whole segments of their paths. */
const uri: Compare = (parameter, value, modifier, { parameters }) => {
  const wanted = parameters.add(unescaped(value), 'VARCHAR');
  const whole = (text: string) => `(rtrim(${text}, '/') || '/')`;
  const test = (text: string): string => {
    if (modifier === 'below') return `starts_with(${whole(text)}, ${whole(wanted)})`;
    if (modifier === 'above') return `starts_with(${whole(wanted)}, ${whole(text)})`;
    return `${text} = ${wanted}`;
  };
  return anyPlace(parameter, (place) => some(texts(place), test));
};

/**
 * Compares parts of one element: `value$value`. The element stands for the resource in the conditions of its parts: the
 * parameter of the lambda hides the column `data`.
 */
const composite: Compare = (parameter, value, _modifier, how) => {
  const { name, parts = [] } = parameter;
  const values = splitAt(value, '$');
  if (values.length !== parts.length)
    throw wrongValue(name, `must have ${parts.length} values with $ between them`);
  const all = parts
    .map((part, at) => compares[part.kind](part, values[at] ?? '', undefined, how))
    .join(' AND ');
  return anyPlace(
    parameter,
    (place) => `(len(list_filter(${elements(place)}, lambda data: data IS NOT NULL AND ${all})) > 0)`,
  );
};

/** Texts of a value that a string is compared with. */
const stringForms: Readonly<Record<string, readonly string[]>> = {
  HumanName: ['.text', '.family', '.given[*]', '.prefix[*]', '.suffix[*]'],
  Address: ['.text', '.line[*]', '.city', '.district', '.state', '.postalCode', '.country'],
};

/** Builds the lists of texts of a place, one for each part of a name or address. */
export const stringsOf = (place: Place): string[] =>
  (stringForms[place.type] ?? ['']).map((inside) => texts(place, inside));

const string: Compare = (parameter, value, modifier, { parameters }) => {
  const wanted = parameters.add(unescaped(value), 'VARCHAR');
  const test = (text: string): string => {
    if (modifier === 'exact') return `${text} = ${wanted}`;
    const compare = modifier === 'contains' ? 'contains' : 'starts_with';
    return `${compare}(${folded(text)}, ${folded(wanted)})`;
  };
  return anyPlace(
    parameter,
    (place) =>
      `(${stringsOf(place)
        .map((list) => some(list, test))
        .join(' OR ')})`,
  );
};

const reference: Compare = (parameter, value, modifier, how) => {
  if (modifier === 'identifier') return identified(parameter, value, how);
  const text = unescaped(value);
  const own = text.startsWith(`${how.base}/`) ? text.slice(how.base.length + 1) : text;
  const named = /^(?:([A-Z][A-Za-z]+)\/)?([\w.:-]{1,255})(?:\/_history\/[\w.-]+)?$/.exec(own);
  const add = (one: string) => how.parameters.add(one, 'VARCHAR');
  if (!named) {
    const wanted = add(text);
    return anyPlace(parameter, (place) => some(referencesOf(place), (one) => `${one} = ${wanted}`));
  }
  const [, said = modifier, id = ''] = named;
  if (modifier !== undefined && modifier !== said)
    throw wrongValue(parameter.name, `names the type ${said}, and :${modifier}`);
  if (isOfPatient(parameter) && (said ?? targetOf(parameter)) === 'Patient') return `patient_id = ${add(id)}`;
  const urns = onceUsed(() => ['urn:uuid:', 'urn:oid:'].map((scheme) => add(`${scheme}${id}`)).join(', '));
  return anyPlace(parameter, (place) => {
    const target = place.target ?? (parameter.name === 'patient' ? 'Patient' : undefined);
    const type = said ?? target;
    if (target !== undefined && type !== target) return 'false';
    const wanted = add(type === undefined ? `/${id}` : `${type}/${id}`);
    const isNamed = (one: string) =>
      type === undefined
        ? `ends_with(${plainReference(one)}, ${wanted})`
        : `${plainReference(one)} = ${wanted}`;
    return some(referencesOf(place), (one) => `(${isNamed(one)} OR ${one} IN (${urns()}))`);
  });
};

/** Type to which the references of a parameter are, where there is only one. */
export const targetOf = ({ name, places }: SearchParameter): string | undefined =>
  name === 'patient' ? 'Patient' : places[0]?.target;

/** Builds the list of the references of a place; a canonical is its own. */
export const referencesOf = (place: Place): string =>
  texts(place, place.type === 'Reference' ? '.reference' : '');

function identified(parameter: SearchParameter, value: string, how: Comparison): string {
  const places = parameter.places
    .filter(({ type }) => type === 'Reference')
    .map((place) => ({
      ...place,
      steps: [...place.steps, { name: 'identifier', isList: false }],
      type: 'Identifier',
    }));
  return token({ ...parameter, places }, value, undefined, how);
}

const compares: Readonly<Record<SearchParameter['kind'], Compare>> = {
  ...{ token, uri, string, date, number, quantity, reference, composite },
};
