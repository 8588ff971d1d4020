export { BrowserSessions, cookieName, readCookie, sessionCookie, writeCookie } from './browser-sessions.ts';
export { isFromOurPages, otherOrigin } from './origin.ts';
export {
  type AuthenticationMethod,
  lockSession,
  type Session,
  Sessions,
  type SessionView,
} from './sessions.ts';
