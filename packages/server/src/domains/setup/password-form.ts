import { Type } from 'typebox';
import { passwordLengthMin } from '../passwords/index.ts';
import { text } from './page.ts';

/** A token in an address or a form. */
export const tokenShape = Type.String({ maxLength: 200 });

/** The two fields of a new password. The hidden name lets a password store file it under the right user. */
export function passwordFields(email: string, mistake?: string): string {
  const invalid = mistake === undefined ? '' : ' aria-invalid="true" aria-describedby="mistake"';
  return `<input type="hidden" name="username" value="${text(email)}" autocomplete="username">
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${passwordLengthMin}" required autofocus${invalid}>
<label for="repeated">Once more</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required${invalid}>`;
}

/** A mistake that fields are tied to with `aria-describedby`. */
export function alert(mistake: string | undefined): string {
  return mistake === undefined ? '' : `<p role="alert" id="mistake">${text(mistake)}</p>`;
}
