const returnKey = 'ploidy-return-to';

/** Leaves for the sign-in page; `returnPlace` finds the way back. Never resolves: the page is being left. */
export function signIn(): Promise<never> {
  const place = location.pathname + location.search;
  if (place !== '/') sessionStorage.setItem(returnKey, place);
  location.assign('/v1/oauth/sign-in');
  return new Promise(() => undefined);
}

/** Returns the place that was left for the sign-in page, once. */
export function returnPlace(): string | undefined {
  const place = sessionStorage.getItem(returnKey);
  sessionStorage.removeItem(returnKey);
  return place?.startsWith('/') && !place.startsWith('//') ? place : undefined;
}
