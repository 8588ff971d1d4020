export { type Proven, SignIn, type SignInParts, sessionCookie } from './sign-in.ts';
