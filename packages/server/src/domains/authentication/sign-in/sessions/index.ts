export { BrowserSessions, sessionCookie } from './browser-sessions.ts';
export { cookieName, readCookie, writeCookie } from './cookie.ts';
export { isFromOurPages, otherOrigin } from './origin.ts';
export {
  type AuthenticationMethod,
  lockSession,
  type Session,
  Sessions,
  type SessionView,
} from './sessions.ts';
