import type { ResultType } from '../result-type.ts';
import { identifier, literal } from './quote.ts';

/** Form that values of some types have in a file, also inside others. */
export interface Form {
  isFor(typeName: string): boolean;
  /** SQL of the form of a value (`value`: SQL too). */
  of(value: string, type: ResultType): string;
}

/** Puts a value, or all values inside it, into a form. */
export function inForm(value: string, type: ResultType, form: Form, depth = 0): string {
  if (!hasForm(type, form)) return value;
  const inner = `x${depth}`;
  switch (type.kind) {
    case 'list':
      return `list_transform(${value}, lambda ${inner}: ${inForm(inner, type.item, form, depth + 1)})`;
    case 'struct': {
      const fields = type.fields.map(
        ({ name, type: of }) =>
          `${identifier(name)} := ${inForm(`${value}[${literal(name)}]`, of, form, depth + 1)}`,
      );
      return `CASE WHEN ${value} IS NOT NULL THEN struct_pack(${fields.join(', ')}) END`;
    }
    case 'map': {
      const [key, item] = [
        inForm(`${inner}.key`, type.key, form, depth + 1),
        inForm(`${inner}.value`, type.item, form, depth + 1),
      ];
      return `map_from_entries(list_transform(map_entries(${value}), lambda ${inner}: struct_pack(key := ${key}, value := ${item})))`;
    }
    case 'other':
      return value;
    case 'plain':
      return form.of(value, type);
  }
}

function hasForm(type: ResultType, form: Form): boolean {
  switch (type.kind) {
    case 'list':
      return hasForm(type.item, form);
    case 'struct':
      // A field without a name cannot be asked for.
      return (
        type.fields.every(({ name }) => name !== '') && type.fields.some((field) => hasForm(field.type, form))
      );
    case 'map':
      return hasForm(type.key, form) || hasForm(type.item, form);
    case 'other':
      return false;
    case 'plain':
      return form.isFor(type.name);
  }
}
