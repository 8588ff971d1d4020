export { type OutboundSettings, openOutbound } from './open.ts';
export { type Outbound, OutboundError } from './outbound.ts';
