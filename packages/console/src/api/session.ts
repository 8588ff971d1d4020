import { at, keptAs } from './place.ts';

const returnKey = keptAs('return-to');
const signInPath = at('/v1/oauth/sign-in');
/** Name of the window that a page opens to sign in again. */
const windowName = keptAs('sign-in');
const listeners = new Set<() => void>();
/** Set while the page waits for a sign-in. */
let waiting: { done: Promise<void>; end: () => void } | undefined;
let isShown = false;

/** Notes that the user sees a page, which a sign-in must not lose. */
export function notePageShown(): void {
  isShown = true;
}

/** Listeners that learn when the session has ended, and when it is there again. */
export const sessionState = {
  subscribe: (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
  isSignedOut: (): boolean => waiting !== undefined,
};

/** Resolves when the user is signed in again. Before any page is shown it leaves for the sign-in page, and never resolves. */
export function signIn(): Promise<void> {
  if (!isShown) return leaveToSignIn();
  if (waiting === undefined) {
    const { promise: done, resolve: end } = Promise.withResolvers<void>();
    waiting = { done, end };
    for (const listener of listeners) listener();
  }
  return waiting.done;
}

/** Leaves for the sign-in page; `returnPlace` finds the way back. */
export function leaveToSignIn(): Promise<never> {
  const place = location.pathname + location.search;
  if (place !== at('/')) sessionStorage.setItem(returnKey, place);
  location.assign(signInPath);
  return new Promise(() => undefined);
}

/** Opens the sign-in page in a window of its own. Leaves this page where the browser allows no window. */
export function openSignIn(): void {
  if (window.open(signInPath, windowName, 'popup,width=520,height=720') === null) void leaveToSignIn();
}

/** Lets everything go on that waits for a sign-in. */
export function goOnSignedIn(): void {
  waiting?.end();
  waiting = undefined;
  for (const listener of listeners) listener();
}

const channel = new BroadcastChannel(windowName);

/** Calls a listener when a user has signed in in another window. */
export function onSignIn(listener: () => void): () => void {
  channel.addEventListener('message', listener);
  return () => channel.removeEventListener('message', listener);
}

/** Closes the window if it was opened to sign in; reports to the page that opened it. */
export function closeSignInWindow(): boolean {
  if (window.name !== windowName) return false;
  channel.postMessage('signed in');
  window.close();
  return true;
}

/** Returns the place that was left for the sign-in page, once. */
export function returnPlace(): string | undefined {
  const place = sessionStorage.getItem(returnKey);
  sessionStorage.removeItem(returnKey);
  return place?.startsWith('/') && !place.startsWith('//') ? place : undefined;
}
