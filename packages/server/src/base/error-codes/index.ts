import type { ErrorEntry } from './error-entry.ts';
import { limitErrors } from './limits.ts';
import { requestErrors } from './request.ts';
import { resourceErrors } from './resources.ts';
import { samlErrors } from './saml.ts';
import { serviceErrors } from './service.ts';
import { signInErrors } from './sign-in.ts';

export type { ErrorEntry };

/** Every error code by its area. Programs decide by codes, so none changes or goes. */
export const errorAreas = {
  'The request': requestErrors,
  'Sign-in and rights': signInErrors,
  'Sign-in by SAML': samlErrors,
  'What is there': resourceErrors,
  'Limits and quotas': limitErrors,
  'The service': serviceErrors,
} as const;

type Area = (typeof errorAreas)[keyof typeof errorAreas];

/** Code of an error, with a meaning and a remedy in `errorAreas`. */
export type ErrorCode = Area extends infer A ? (A extends Area ? keyof A : never) : never;
