import type { ErrorEntry } from './error-entry.ts';

/** Errors of sign-in and rights. */
export const signInErrors = {
  UNAUTHENTICATED: [
    401,
    'The key, token or session is missing, unknown or expired',
    'Sign in again, or send another key',
  ],
  FORBIDDEN: [
    403,
    'No policy allows this; the message names the privilege',
    'Ask an administrator of the account',
  ],
  API_KEYS_REFUSED: [
    403,
    'The user may not use API keys in this account',
    'Needs the privilege `apiKeyUser`',
  ],
  INSUFFICIENT_SCOPE: [403, 'The access token lacks a scope', 'Sign in with that scope'],
  ONLY_ONE_ACCOUNT: [
    403,
    'The credential is of one account, the request of another',
    'Use a credential of that account',
  ],
  ONLY_ONESELF: [403, 'Only the user may change this', 'Sign in as that user'],
  SMALL_COUNTS_ONLY: [403, 'Masked data are visible as counts of many patients here', 'Count in SQL'],
  ASSISTANTS_OFF: [403, 'The account lets no assistant use it', 'An administrator allows it on the page Me'],
  READING_ENDED: [403, 'The token of a running query has ended', 'None: engines use it internally'],
  BROWSER_ONLY: [403, 'The page is for browsers', 'Programs use `/v1/sessions`'],
  FOREIGN_PAGE: [403, 'A page of another origin sent a session cookie', 'Send a key or a token'],
  VIEW_READS_ONLY: [
    403,
    'The request brings a view of another person, which only reads',
    'End the view first',
  ],
  VIEW_ENDED: [403, 'The view of another person has ended', 'Begin it again'],
  FORM_STALE: [403, 'The form is too old or of another session', 'Load the page again'],
  LINK_INVALID: [403, 'The link was used or is too old', 'Ask for a new link, or sign in with the password'],
  LINK_REPLACED: [409, 'A newer link exists', 'Open the link of the last mail'],
  CREDENTIAL_ENDED: [
    403,
    'The key, token or sign-in that asked for this address has ended',
    'Ask for a new address with another credential',
  ],
  URL_EXPIRED: [403, 'The signed address is too old', 'Ask for a new address'],
  URL_INVALID: [403, 'The signed address was changed', 'Use it exactly as received'],
  WRONG_PASSWORD: [403, 'The current password is wrong', 'Try again, or reset it'],
  WRONG_CODE: [
    403,
    'The code of the second step is wrong',
    'Check the clock of the device; try the next code',
  ],
  SECOND_FACTOR_ON: [409, 'The second step is on already', 'Make new recovery codes if they are lost'],
  SECOND_FACTOR_OFF: [409, 'The second step is off already', 'Nothing to do'],
  PASSWORD_CHANGED: [409, 'The password changed at the same time', 'Sign in again'],
  USER_EXISTS: [409, 'A user with this address was created meanwhile', 'Open the link again'],
  USER_GONE: [409, 'The user does not exist any more', 'Open the link of the mail again'],
  INVALID_AUTHORIZATION_REQUEST: [
    400,
    'The client or its callback address is unknown',
    'Compare with the registered client',
  ],
} as const satisfies Record<string, ErrorEntry>;
