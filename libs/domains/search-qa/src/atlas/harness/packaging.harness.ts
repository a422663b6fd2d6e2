// variant undated
// targets: truncation
// hypothesis: Years cost a third of the context and say nothing that the order does not; without them more fits. It helps with the ranking variant no-stale.
function pack(documents: Found[]): string {
  return documents.map((document) => document.text).join('\n');
}

// variant dated-three
// targets: extraction, truncation
// hypothesis: The first three documents, dated, always fit the context and keep the model's attention on few lines.
function pack(documents: Found[]): string {
  return documents
    .slice(0, 3)
    .map((document) => `${document.year}: ${document.text}`)
    .join('\n');
}

// variant dated-budget
// targets: truncation, retrieval
// hypothesis: As many dated documents as fit 200 characters use the context without overflowing it.
function pack(documents: Found[]): string {
  const lines: string[] = [];
  for (const document of documents) {
    const line = `${document.year}: ${document.text}`;
    if (lines.join('\n').length + line.length > 200) break;
    lines.push(line);
  }
  return lines.length === 0 ? 'Nothing found.' : lines.join('\n');
}

// variant records
// targets: extraction
// hypothesis: Number, title and score of each document help the model to judge it.
function pack(documents: Found[]): string {
  return documents
    .map((document, i) => `${i + 1}. [${document.title}, score ${document.score}] ${document.text}`)
    .join('\n');
}
