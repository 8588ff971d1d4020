export { Admin } from './admin.ts';
export { type FirstRun, setUp } from './first-run.ts';
export {
  findToken,
  type KnownToken,
  spendToken,
  spendTokensOf,
  storeToken,
  sweepTokens,
} from './one-time-links.ts';
export { page, pageAnswers, text, withPage } from './page.ts';
export {
  hashPassword,
  passwordFields,
  passwordLengthMin,
  passwordMistake,
  passwordShape,
  tokenShape,
} from './password-form.ts';
export { Passwords } from './passwords.ts';
export { setUpRoutes } from './routes.ts';
