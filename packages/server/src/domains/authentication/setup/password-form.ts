import { Type } from 'typebox';
import { passwordLengthMin } from '../sign-in/passwords/index.ts';
import { text } from './page.ts';

/** Token in an address or a form. */
export const tokenShape = Type.String({ maxLength: 200, description: 'Token of the link' });

/**
 * Returns a field with the user name, for password managers: they use the preceding text field, which may be
 * off screen but not `hidden` or without a box
 * (https://www.chromium.org/developers/design-documents/create-amazing-password-forms/).
 */
export function userNameField(email: string): string {
  return `<input class="away" type="text" name="username" value="${text(email)}" autocomplete="username" readonly tabindex="-1" aria-hidden="true">`;
}

/** Returns the two fields of a new password. */
export function passwordFields(email: string, fault?: string): string {
  const invalid = fault === undefined ? '' : ' aria-invalid="true" aria-describedby="fault"';
  return `${userNameField(email)}
<label for="password">New password</label>
<input id="password" name="password" type="password" autocomplete="new-password" minlength="${passwordLengthMin}" required autofocus${invalid}>
<label for="repeated">Repeat the password</label>
<input id="repeated" name="repeated" type="password" autocomplete="new-password" required${invalid}>`;
}

/** Returns an error that fields refer to by `aria-describedby`. */
export function alert(fault: string | undefined): string {
  return fault === undefined ? '' : `<p role="alert" id="fault">${text(fault)}</p>`;
}
