/** Longer texts are not worth the room that they would take. */
const charactersMax = 128;

/**
 * The same function of one text, which keeps its last answers: for what is asked about the same few short texts again and
 * again. `compute` must be pure, and what it answers is shared.
 */
export function remember<T>(compute: (text: string) => T, textsMax = 256): (text: string) => T {
  const answers = new Map<string, T>();
  return (text) => {
    if (text.length > charactersMax) return compute(text);
    const known = answers.get(text);
    if (known !== undefined) return known;
    const answer = compute(text);
    // Beginning anew costs less than keeping their order, and what is asked often is soon there again.
    if (answers.size >= textsMax) answers.clear();
    answers.set(text, answer);
    return answer;
  };
}
