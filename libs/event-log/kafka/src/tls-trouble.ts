interface Failure {
  code?: unknown;
  message?: unknown;
}

/** Codes of Node and OpenSSL, or words of their messages, and what helps. The first that fits counts. */
const TROUBLES: readonly (readonly [RegExp, string | ((said: string) => string)])[] = [
  [
    /UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER_CERT/,
    "the brokers' certificate is signed by an authority that is not known here: name its PEM file in WHALE_KAFKA_TLS_CA",
  ],
  [/ERR_TLS_CERT_ALTNAME_INVALID/, (said) => `${said}: expected a host name of the brokers' certificate in the URL`],
  [
    /ALERT_(BAD_CERTIFICATE|CERTIFICATE_REQUIRED|UNKNOWN_CA|CERTIFICATE_UNKNOWN|CERTIFICATE_EXPIRED|UNSUPPORTED_CERTIFICATE)|SSL alert number (4[2-8]|116)/i,
    "the brokers want a client's certificate that they know the authority of: set WHALE_KAFKA_TLS_CERT and WHALE_KAFKA_TLS_KEY",
  ],
  [/certificate|CERT_/i, (said) => `${said}: see WHALE_KAFKA_TLS_CA, …_TLS_CERT and …_TLS_KEY`],
];

/** What is wrong with a certificate, ours or theirs, as a sentence that says what to do; `chain` outermost first. */
export function tlsTrouble(chain: readonly Failure[]): string | undefined {
  const texts = chain.map(({ code, message }) => `${String(code ?? '')} ${String(message)}`);
  for (const [pattern, advice] of TROUBLES) {
    const at = texts.findIndex((text) => pattern.test(text));
    if (at !== -1) return typeof advice === 'string' ? advice : advice(String(chain[at]?.message));
  }
  return undefined;
}
