import { Type } from '../../schema.ts';
import { passwordLengthMin } from '../passwords/index.ts';
import { text } from './page.ts';

/** A token in an address or a form. */
export const tokenShape = Type.String({ maxLength: 200 });

/**
 * Whose password it is, for password stores: they file it under the field of text before it, which may be out of sight but neither
 * of the type `hidden` nor without a box (https://www.chromium.org/developers/design-documents/create-amazing-password-forms/).
 */
export function userNameField(email: string): string {
  return `<input class="away" type="text" name="username" value="${text(email)}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">`;
}

/** The two fields of a new password. */
export function passwordFields(email: string, mistake?: string): string {
  const invalid = mistake === undefined ? '' : ' aria-invalid="true" aria-describedby="mistake"';
  return `${userNameField(email)}
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${passwordLengthMin}" required autofocus${invalid}>
<label for="repeated">Once more</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required${invalid}>`;
}

/** A mistake that fields are tied to with `aria-describedby`. */
export function alert(mistake: string | undefined): string {
  return mistake === undefined ? '' : `<p role="alert" id="mistake">${text(mistake)}</p>`;
}
