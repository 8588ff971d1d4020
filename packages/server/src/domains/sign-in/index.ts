export { tellAccounts } from './events.ts';
export { sealedAddresses } from './forgotten.ts';
export { type Forms, formHeaders, staleForm } from './forms.ts';
export { logoutPath } from './logout.ts';
export { openSignIn, type SignInDomain } from './open.ts';
export { keepPassword, type PasswordCheck } from './password-check.ts';
export { patienceOrProblem, tooManyAttempts } from './patience.ts';
export type { Proven, SignIn } from './sign-in.ts';
export { ownPath } from './sign-in-forms.ts';
