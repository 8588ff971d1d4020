export {
  type Account,
  Accounts,
  assistantsOf,
  createAccount,
  isOnlyAccount,
  requireAccount,
  restoresFrom,
} from './accounts.ts';
export { AccountDeletion } from './deletion.ts';
export { accountRoutes } from './routes.ts';
