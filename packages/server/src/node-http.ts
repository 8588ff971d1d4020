/**
 * Node's own HTTP. An `import` of it asks for every name that it has, `WebSocket` among them, and with that one Node reads a whole
 * client for browsers' requests: 40 ms of processor time of each start.
 */
export const http = process.getBuiltinModule('node:http');
