export { type AuditAction, ownActions } from './actions.ts';
export { type AddressUse, AddressUses } from './address-uses.ts';
export { Audit, type AuditEvent, actor, onBehalf, wasDone } from './audit.ts';
export { GroupedEvents } from './grouped-events.ts';
export { auditRoutes } from './routes.ts';
export { type ChainReport, verifyChain, verifyChains } from './verify.ts';
