import { filesOperations } from './operations/files.ts';
import { identityOperations } from './operations/identity.ts';
import { lakeOperations } from './operations/lake.ts';
import { type Operation, operation } from './operations/operation.ts';

export { type Operation, type Privilege, privileges } from './operations/operation.ts';

/** Operations of routes, jobs and tables of the lake. The only place that grants access. */
export const operations = {
  'service.health': operation('public', 'reports whether the process is alive'),
  'service.version': operation('public', 'reports the version of the service'),
  'service.ready': operation('public', 'reports whether records, blobs and engine respond'),
  'service.metrics': operation('public', 'counts and timings, without names or data'),
  ...identityOperations,
  ...filesOperations,
  ...lakeOperations,
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** Returns the entry of an operation, with the general type. */
export function operationOf(name: OperationName): Operation {
  return operations[name];
}

/** Reports whether an operation needs no authentication: it is public, or the address is signed. */
export function isOpen(name: OperationName): boolean {
  const { needs } = operationOf(name);
  return needs === 'public' || needs === 'signature';
}
