// targets: truncation, retrieval
// needs: wide-then-choose
// mechanism: as many documents are shown as fit a budget of characters
// evidence: trajectories "finish": ?"context"
// says: prompts did not fit the context
// because: a prompt over the context window gets no reply at all, and an unused window hides documents
// region packaging: fit-context
function pack(documents: Found[]): string {
  const lines: string[] = [];
  let left = 180;
  for (const { year, text } of documents) {
    const line = `${year}: ${text}`;
    left -= line.length + 1;
    if (left < 0 && lines.length > 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? 'Nothing found.' : lines.join('\n');
}
// endregion
