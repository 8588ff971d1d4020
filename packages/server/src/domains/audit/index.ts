export { Audit, type AuditEvent, actor } from './audit.ts';
export { type ChainReport, verifyChain } from './verify.ts';
