/** Pages of a project, with the words of the menu. */
export const projectPages = [
  ['Study', '/projects/$project'],
  ['Genes and variants', '/projects/$project/variants'],
  ['Oncoprint', '/projects/$project/oncoprint'],
  ['Cohorts', '/projects/$project/cohorts'],
  ['Compare', '/projects/$project/compare'],
  ['Plots', '/projects/$project/plots'],
  ['Reports', '/projects/$project/reports'],
  ['SQL', '/projects/$project/sql'],
  ['Files', '/projects/$project/files'],
  ['Genome', '/projects/$project/genome'],
  ['Connect', '/projects/$project/connect'],
] as const;

/** Pages of the account. */
export const accountPages = [
  ['Home', '/'],
  ['People and access', '/account/people'],
  ['Connections', '/account/connections'],
  ['Work and storage', '/account/work'],
  ['Health', '/account/health'],
  ['Audit', '/account/audit'],
  ['Me', '/me'],
] as const;
