import { type Collection, collections, commonCollections, expressionTable, type Field } from './fields.ts';
import { type Operator, operators, takesType } from './query.ts';

/** Collection as listed by GET /v1/analytics/fields. */
interface DescribedCollection {
  /** Value of `target` for its rows. */
  target: string;
  /** Names in conditions. */
  names: string[];
  table: string;
  /** True for a table that the project defines itself. */
  own: boolean;
  fields: { name: string; type: string; operators: Operator[] }[];
}

/** Describes collections. `masked` leaves out the columns of which a reader of masked data sees no value. */
export function describeFields({ all } = commonCollections, masked = false): DescribedCollection[] {
  return [...all.values()].map(({ name, plural, fields, ofPatient, table }) => {
    const singular = name === expressionTable ? 'expression' : name;
    const names = ofPatient && name !== 'patient' ? [`patient.${plural}`, singular] : [singular];
    const hidden = masked ? hiddenColumns(table) : new Set<string>();
    return {
      target: singular,
      names,
      table: table.name,
      own: !collections.has(name),
      fields: [...fields.values()]
        .filter((field) => !hidden.has(field.name))
        .map((field) => ({ name: field.name, type: field.type, operators: operatorsOf(field) })),
    };
  });
}

function hiddenColumns({ columns }: Collection['table']): Set<string> {
  return new Set(columns.filter(({ mask }) => mask === 'null').map(({ name }) => name));
}

function operatorsOf({ type }: Field): Operator[] {
  return operators.filter((operator) => takesType(operator, type));
}

/** Lists the fields of every collection in Markdown. */
export function fieldsDocument(): string {
  const sections = describeFields().map(({ target, names, table, fields }) => {
    const types = [...Map.groupBy(fields, ({ type }) => type)].map(
      ([type, ofType]) => `- ${type}: ${ofType.map(({ name }) => `\`${name}\``).join(', ')}`,
    );
    const how = `Conditions: ${names.map((name) => `\`${name}.…\``).join(', ')}. Table \`${table}\`.`;
    return [`## ${target}`, '', how, '', ...types].join('\n');
  });
  return [
    '# Fields of analytics queries',
    '',
    'Queries: docs/analytics.md. Strings take `eq ne lt lte gt gte in notIn between contains startsWith endsWith',
    'exists`, numbers and dates all but `contains startsWith endsWith`, booleans `eq ne in notIn exists`.',
    '',
    sections.join('\n\n'),
    '',
  ].join('\n');
}
