export { cookieName, readCookie, writeCookie } from './cookie.ts';
export { type AuthenticationMethod, type Session, Sessions } from './sessions.ts';
