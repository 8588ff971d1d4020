import type { Place, SearchParameter } from '@ploidy/formats/fhir-r4';
import { anyPlace, type Compare, type Comparison, onceUsed } from './comparison.ts';
import { elements, folded, member, plainReference, some, texts } from './places.ts';
import { date, quantity } from './ranges.ts';
import { tokenIn, unescaped, wrongValue } from './values.ts';

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
  if (modifier === 'missing') return missing(parameter, values);
  const compare = comparisonOf(parameter, modifier);
  const any = values.map((value) => compare(parameter, value, modifier, how)).join(' OR ');
  return modifier === 'not' ? `NOT (${any})` : `(${any})`;
}

/** Modifiers of each kind. All have `missing`, and references the name of a type. */
const modifiers: Readonly<Record<SearchParameter['kind'], readonly string[]>> = {
  token: ['not'],
  reference: ['identifier'],
  date: [],
  quantity: [],
  string: ['exact', 'contains'],
  uri: [],
};

function comparisonOf({ name, kind }: SearchParameter, modifier: string | undefined): Compare {
  const isType = kind === 'reference' && /^[A-Z][A-Za-z]+$/.test(modifier ?? '');
  if (modifier !== undefined && !isType && !modifiers[kind].includes(modifier))
    throw wrongValue(
      name,
      `has no modifier :${modifier}; it has ${['missing', ...modifiers[kind]].join(', ')}`,
    );
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
  return anyPlace(parameter, (place) => {
    const form = tokenForms[place.type];
    if (!form) {
      // The system of a plain code is stated nowhere in the resource.
      if (wanted.system !== undefined)
        throw wrongValue(parameter.name, 'has codes without a system: leave the system out');
      return some(texts(place), (text) => `${text} = ${wanted.code}`);
    }
    return some(elements(place, form[0]), (one) => tokenTest(one, form[1], system, wanted));
  });
};

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

const uri: Compare = (parameter, value, _modifier, { parameters }) => {
  const wanted = parameters.add(unescaped(value), 'VARCHAR');
  return anyPlace(parameter, (place) => some(texts(place), (text) => `${text} = ${wanted}`));
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
    const type = said ?? place.target;
    if (place.target !== undefined && type !== place.target) return 'false';
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
  ...{ token, uri, string, date, quantity, reference },
};
