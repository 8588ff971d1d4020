export { type Account, Accounts, createAccount, requireAccount, restoresFrom } from './accounts.ts';
export { AccountDeletion } from './deletion.ts';
export { accountRoutes } from './routes.ts';
