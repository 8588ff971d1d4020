/** Sign-ins at systems, with the names of what each needs (docs/operate/ehr.md). */
export const signIns = {
  private_key_jwt: { label: 'SMART: key pair', key: 'Client id', secret: 'Private key (PEM)' },
  oauth2: { label: 'OAuth: client and secret', key: 'Client id', secret: 'Client secret' },
  basic: { label: 'User and password', key: 'User', secret: 'Password' },
  header: { label: 'Fixed header', key: 'Value of the header Authorization', secret: undefined },
} as const;

export type SignIn = keyof typeof signIns;

interface System {
  value: string;
  label: string;
  signIn: SignIn;
  /** Form of its FHIR address. */
  address: string;
  /** Steps at the system. */
  hint: string;
}

/** Systems with what differs in their setup. */
export const systems: System[] = [
  {
    ...{ value: 'epic', label: 'Epic', signIn: 'private_key_jwt' },
    address: 'https://fhir.hospital.example/api/FHIR/R4',
    hint: 'Register a client for Backend Systems with scopes of system. The address of its key set is shown here after the test. A new client may need hours.',
  },
  {
    ...{ value: 'oracle', label: 'Oracle Health (Cerner)', signIn: 'private_key_jwt' },
    address: 'https://fhir.hospital.example/r4/tenant',
    hint: 'Register a confidential client of type system. The address ends with the id of the tenant.',
  },
  {
    ...{ value: 'smart', label: 'Other system with SMART Backend Services', signIn: 'private_key_jwt' },
    address: 'https://fhir.hospital.example/r4',
    hint: 'Register the client with system/*.read and the address of its key set.',
  },
  {
    ...{ value: 'plain', label: 'FHIR server with a user', signIn: 'basic' },
    address: 'https://fhir.hospital.example/fhir',
    hint: 'The user needs the right to read and search all resources.',
  },
  {
    ...{ value: 'other', label: 'Other', signIn: 'oauth2' },
    address: 'https://fhir.hospital.example/r4',
    hint: 'OAuth needs a client with system/*.read.',
  },
];
