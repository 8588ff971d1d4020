import { ClientError } from '@ploidy/client';
import { at, keptAs } from './place.ts';

/** A view of the account as another person sees it, in this tab. */
export interface View {
  token: string;
  /** Moment of its end, ISO 8601. */
  until: string;
  /** Name or address of the person. */
  name: string;
}

const key = keptAs('view');

/** Returns the view of this tab, if there is one. */
export function currentView(): View | undefined {
  const text = sessionStorage.getItem(key);
  return text === null ? undefined : (JSON.parse(text) as View);
}

/** Returns the headers that requests of a view need. */
export function viewHeaders(): Record<string, string> {
  const view = currentView();
  return view ? { 'ploidy-view': view.token } : {};
}

/** Begins a view: everything is asked for anew. */
export function enterView(view: View): void {
  sessionStorage.setItem(key, JSON.stringify(view));
  location.assign(at('/'));
}

/** Ends the view: everything is asked for anew. */
export function leaveView(): void {
  sessionStorage.removeItem(key);
  location.assign(at('/account/people'));
}

/** Ends the view in this tab alone, without loading a page. */
export const forgetView = (): void => sessionStorage.removeItem(key);

/** Leaves a view that the service has ended. */
export function leaveEndedView(error: Error): void {
  if (error instanceof ClientError && error.code === 'VIEW_ENDED') leaveView();
}
