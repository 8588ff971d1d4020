/** Cookies of the sign-in: TLS only where the service uses it, and inaccessible to scripts. */

/** Names a cookie: `__Host-` binds it to this host and path, and needs TLS (RFC 6265bis §4.1.3.2). */
export function cookieName(name: string, publicUrl: string): string {
  return isSecure(publicUrl) ? `__Host-${name}` : name;
}

/** Reads the value of a cookie from a `Cookie` header. */
export function readCookie(header: string | string[] | undefined, name: string): string | undefined {
  const text = Array.isArray(header) ? header.join('; ') : (header ?? '');
  for (const part of text.split(';')) {
    const at = part.indexOf('=');
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim();
  }
  return undefined;
}

/**
 * Writes a `Set-Cookie` header; `lifeMs` 0 removes it. `Lax`: sent with links and redirects, not with
 * cross-site forms.
 */
export function writeCookie(name: string, value: string, publicUrl: string, lifeMs: number): string {
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  return `${cookieName(name, publicUrl)}=${value}; Path=/; HttpOnly; SameSite=Lax${secure}; Max-Age=${Math.floor(lifeMs / 1000)}`;
}

function isSecure(publicUrl: string): boolean {
  return publicUrl.startsWith('https:');
}
