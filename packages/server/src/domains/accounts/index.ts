export { type Account, Accounts, createAccount, restoresFrom } from './accounts.ts';
export { accountRoutes } from './routes.ts';
