export { SignIn, sessionCookie } from './sign-in.ts';
