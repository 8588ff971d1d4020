import { lazy } from 'react';

/** Parts of the first page, which loads without them. */
export const Ask = lazy(async () => ({ default: (await import('../../shell/Ask.tsx')).Ask }));
export const Confirm = lazy(async () => ({ default: (await import('../../shell/Confirm.tsx')).Confirm }));
export const SampleButton = lazy(async () => ({
  default: (await import('./SampleButton.tsx')).SampleButton,
}));
export const Recent = lazy(async () => ({ default: (await import('./Recent.tsx')).Recent }));
