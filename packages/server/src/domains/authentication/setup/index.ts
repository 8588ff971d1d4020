export { Admin } from './admin.ts';
export { type FirstRun, setUp } from './first-run.ts';
export {
  findToken,
  openingPath,
  spendToken,
  spendTokensOf,
  storeToken,
  sweepTokens,
} from './one-time-links.ts';
export { page, pageAnswers, problemPage, text, withPage } from './page.ts';
export { alert, passwordFields, tokenShape, userNameField } from './password-form.ts';
export { Passwords } from './passwords.ts';
export { setUpRoutes, signInPath } from './routes.ts';
