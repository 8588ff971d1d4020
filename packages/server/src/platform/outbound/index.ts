export { openOutbound, outboundAgents } from './open.ts';
export { type Outbound, type OutboundAnswer, OutboundError, type OutboundRequest } from './outbound.ts';
