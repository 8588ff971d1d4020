import { type TreeNode, walk } from '../tree.ts';

const minute = String.raw`[-+]?\d+-\d{1,2}-\d{1,2}[ T]\d{1,2}:\d{1,2}`;
const zoned = new RegExp(
  String.raw`^\s*(?<minute>${minute})(?<second>:\d{1,2}(?:\.\d*)?)?(?:\s*(?<offset>[zZ]|[+-]\d{1,2}(?::?\d{2}){0,2})|\s+(?<zone>[A-Za-z][\w/+-]*))\s*$`,
);

/**
 * Casts timestamp literals with an offset or a zone to instants, as in Presto: the engine reads `TIMESTAMP '2024-01-01
 * 00:00:00+02:00'` as midnight without a zone, two hours off. Strings of columns are cast by the engine.
 */
export function keepZones(tree: TreeNode): void {
  walk(tree, ({ node }) => {
    const type = node['cast_type'] as TreeNode | undefined;
    const constant = (node['child'] as TreeNode | undefined)?.['value'] as TreeNode | undefined;
    if (
      node['class'] === 'CAST' &&
      type?.['id'] === 'TIME' &&
      /\d\s*(?:z|[+-]\d[\d:]*)\s*$/i.test(String(constant?.['value']))
    )
      node['cast_type'] = { id: 'TIME WITH TIME ZONE', type_info: null };
    if (node['class'] !== 'CAST' || !/^TIMESTAMP(?:_|$)/.test(String(type?.['id']))) return true;
    const written = zoned.exec(typeof constant?.['value'] === 'string' ? constant['value'] : '')?.groups;
    if (!constant || !written) return true;
    const { minute, second = ':00', offset, zone } = written;
    node['cast_type'] = { id: 'TIMESTAMP WITH TIME ZONE', type_info: null };
    // The engine requires no blank before an offset, and seconds before a zone.
    constant['value'] = `${minute}${second}${offset?.toUpperCase() ?? ` ${zone}`}`;
    return true;
  });
}
