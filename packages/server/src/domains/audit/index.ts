export { Audit, type AuditEvent, actor, onBehalf, wasDone } from './audit.ts';
export { auditRoutes } from './routes.ts';
export { type ChainReport, verifyChain, verifyChains } from './verify.ts';
