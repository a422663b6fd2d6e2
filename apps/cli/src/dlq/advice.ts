/** What an operator can do about a cause. */
export function adviceFor(code: string): string {
  switch (code) {
    case 'EVENT_MALFORMED':
    case 'EVENT_SCHEMA':
    case 'EVENT_TOPIC':
      return (
        'It is no event of this topic. Find out who wrote it (ce_source; one topic has one writer: whale topics). ' +
        'A retry helps only after an upgrade that reads it; otherwise leave it here.'
      );
    case 'EVENT_TYPE_UNKNOWN':
    case 'EVENT_VERSION_NEWER':
      return 'A newer release wrote it, or something that is not WHALE. Upgrade this service, then retry.';
    case 'BLOB_MISSING':
    case 'BLOB_CORRUPT':
    case 'BLOB_SCHEME':
      return 'Its value lies in a blob that cannot be read. Bring back the blob store (or the blob), then retry.';
    case 'INPUT':
      return 'What it asks for contradicts itself. Submit it anew with what the cause names put right.';
    case 'STORE_UNSTORABLE':
      return 'What follows from it cannot be stored. It is a bug or an attack: report it with this output.';
    default:
      return 'Handling it failed. Mend the cause (environment, configuration, or upgrade the service), then retry.';
  }
}
