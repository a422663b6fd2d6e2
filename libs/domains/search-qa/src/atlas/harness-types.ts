/** Declarations of the task and the tool, appended to harness.d.ts for the type check of a harness. */
export const harnessTypes = `
interface TaskInput {
  /** The question; it asks for the present, so the newest version of a fact is the true one. */
  question: string;
}

interface SearchHit {
  id: string;
  /** The entity whose page this is, or "Talk". */
  title: string;
  text: string;
  /** When it was written; of two documents that contradict each other the newer one holds. */
  year: number;
  /** BM25 of the text; ties keep the order of the corpus. */
  score: number;
}

interface Tools {
  search: {
    /** \`query\`: at most 400 characters, matched word by word, nothing dropped. \`k\`: 1 to 20, 3 unless given. */
    args: { query: string; k?: number };
    result: SearchHit[] | { error: string };
  };
}
`;
