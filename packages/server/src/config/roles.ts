import { ConfigError } from './values.ts';

/** Work of a process among others that share a database. */
export type Role = (typeof roleNames)[number];

const roleNames = ['api', 'ingest', 'query', 'maintenance'] as const;

/** Reads a list of roles, separated by commas. */
export function readRoles(text: string, variable: string): ReadonlySet<Role> {
  const words = text.split(',').map((word) => word.trim());
  const roles = roleNames.filter((role) => words.includes(role));
  if (roles.length !== new Set(words).size)
    throw new ConfigError(`${variable} is a list of ${roleNames.join(', ')}, such as query,maintenance.`);
  return new Set(roles);
}

/** Throws if a process that has no companions leaves work undone. */
export function refuseMissingRoles({
  roles,
  databaseUrl,
}: {
  roles: ReadonlySet<Role>;
  databaseUrl: string;
}): void {
  if (databaseUrl === '' && roles.size < roleNames.length)
    throw new ConfigError('PLOIDY_ROLES needs PLOIDY_DATABASE_URL: without it one process does everything.');
}
