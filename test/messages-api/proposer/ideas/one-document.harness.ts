// targets: extraction
// needs: wide-then-choose
// mechanism: the model sees only the best document
// because: where code has chosen well, each further line is a name that can be copied by mistake
// region packaging: best-one
function pack(documents: Found[]): string {
  const [best] = documents;
  return best === undefined ? 'Nothing found.' : `${best.year}: ${best.text}`;
}
// endregion
