import { InputError } from '@whale/kernel';

/** What each does, as the driver has it once it is told to do as all other clients do. */
const SSL_MODES = {
  disable: 'no TLS',
  prefer: 'TLS, whoever the server is',
  require: 'the same; with sslrootcert as verify-ca',
  'verify-ca': 'TLS with a server that the authority of sslrootcert vouches for',
  'verify-full': 'TLS with the server that the certificate names',
} as const;

export const SSL_MODES_TEXT = Object.entries(SSL_MODES)
  .map(([mode, does]) => `${mode} (${does})`)
  .join(', ');

const EXPECTED = 'expected postgresql://user:password@host:5432/database';

/** Throws InputError, which repeats nothing that could be part of a password. */
export function parseUrl(url: string): {
  /** Host, port and name, for messages: nothing secret. */
  place: string;
  connectionString: string;
} {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  // What follows an unencoded / ? or # of a password is taken for path, query or fragment.
  if (parsed?.hash !== '' || /@/u.test(parsed.pathname + parsed.search)) {
    throw new InputError(
      `the database url is not valid: ${EXPECTED}. Percent-encode special characters of user and password: ` +
        '@ is %40, / is %2F, : is %3A, ? is %3F, # is %23, % is %25',
    );
  }
  if (!['postgresql:', 'postgres:'].includes(parsed.protocol) || parsed.pathname.length < 2) {
    throw new InputError(
      `the database url ${parsed.protocol}//${parsed.host}${parsed.pathname} is not valid: ${EXPECTED}`,
    );
  }
  checkSslMode(parsed.searchParams);
  return {
    place: `${parsed.protocol}//${parsed.host}${parsed.pathname}`,
    connectionString: withUsualModes(parsed),
  };
}

function checkSslMode(parameters: URLSearchParams): void {
  const mode = parameters.get('sslmode');
  if (mode === null) return;
  if (!Object.hasOwn(SSL_MODES, mode)) {
    throw new InputError(`sslmode=${mode} in the database url is none. There are: ${SSL_MODES_TEXT}`);
  }
  if (mode === 'verify-ca' && !parameters.get('sslrootcert')) {
    throw new InputError(
      'sslmode=verify-ca in the database url needs sslrootcert=FILE, the certificate of the authority. ' +
        'For one that everybody trusts, use verify-full',
    );
  }
}

/** The driver takes `sslmode=require` for `verify-full`, unlike all other clients, unless it is told not to. */
function withUsualModes(url: URL): string {
  if (url.searchParams.has('sslmode')) url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
}
