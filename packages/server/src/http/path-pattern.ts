/** What matches the path of a route, `/v1/projects/:id`: the source of a regular expression. */
export function pathPattern(path: string): string {
  return path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:\w+/g, '[^/]+');
}
