import duckdb, { type LogicalType } from '@duckdb/node-bindings';
import { identifier, literal } from './task-runtime/quote.ts';

/**
 * Type of a result, as far as its form in a file depends on it. `other`: nested, and left to the engine. `isJson`: a VARCHAR
 * that the engine marks as JSON.
 */
export type ResultType = { name: string } & (
  | { kind: 'plain' | 'other'; isJson?: true }
  | { kind: 'list'; item: ResultType }
  | { kind: 'struct'; fields: ResultField[] }
  | { kind: 'map'; key: ResultType; item: ResultType }
);

interface ResultField {
  name: string;
  type: ResultType;
}

/** Description of a type in the bindings, with its name in SQL. */
export function resultType(type: LogicalType): ResultType {
  const { Type } = duckdb;
  const id = duckdb.get_type_id(type);
  switch (id) {
    case Type.LIST: {
      const item = resultType(duckdb.list_type_child_type(type));
      return { name: `${item.name}[]`, kind: 'list', item };
    }
    case Type.ARRAY: {
      const item = resultType(duckdb.array_type_child_type(type));
      return { name: `${item.name}[${duckdb.array_type_array_size(type)}]`, kind: 'list', item };
    }
    case Type.STRUCT: {
      const fields = listOf(duckdb.struct_type_child_count(type), (index) => ({
        name: duckdb.struct_type_child_name(type, index),
        type: resultType(duckdb.struct_type_child_type(type, index)),
      }));
      return { name: `STRUCT(${fields.map(spelt).join(', ')})`, kind: 'struct', fields };
    }
    case Type.MAP: {
      const key = resultType(duckdb.map_type_key_type(type));
      const item = resultType(duckdb.map_type_value_type(type));
      return { name: `MAP(${key.name}, ${item.name})`, kind: 'map', key, item };
    }
    case Type.UNION: {
      const members = listOf(duckdb.union_type_member_count(type), (index) => ({
        name: duckdb.union_type_member_name(type, index),
        type: resultType(duckdb.union_type_member_type(type, index)),
      }));
      return { name: `UNION(${members.map(spelt).join(', ')})`, kind: 'other' };
    }
    case Type.ENUM: {
      const size = duckdb.enum_dictionary_size(type);
      const values = listOf(size, (index) => literal(duckdb.enum_dictionary_value(type, index)));
      return { name: `ENUM(${values.join(', ')})`, kind: 'plain' };
    }
    case Type.DECIMAL:
      return {
        name: `DECIMAL(${duckdb.decimal_width(type)},${duckdb.decimal_scale(type)})`,
        kind: 'plain',
      };
    case Type.GEOMETRY: {
      const system = duckdb.geometry_type_get_crs(type);
      return { name: system ? `GEOMETRY(${literal(system)})` : 'GEOMETRY', kind: 'plain' };
    }
    case Type.TIMESTAMP_TZ:
      return { name: 'TIMESTAMP WITH TIME ZONE', kind: 'plain' };
    case Type.TIME_TZ:
      return { name: 'TIME WITH TIME ZONE', kind: 'plain' };
    case Type.VARCHAR: {
      const isJson = duckdb.logical_type_get_alias(type) === 'JSON';
      return { name: 'VARCHAR', kind: 'plain', ...(isJson && { isJson }) };
    }
    default:
      return { name: Type[id], kind: 'plain' };
  }
}

const listOf = <Item>(length: number, item: (index: number) => Item): Item[] =>
  Array.from({ length }, (_, index) => item(index));

const spelt = ({ name, type }: ResultField): string => `${identifier(name)} ${type.name}`;
