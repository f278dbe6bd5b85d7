/**
 * A regular expression that matches exactly these whole numbers in decimals, and is short: numbers that end in the same
 * digits share what stands before. It is deterministic, so that the agents' engines need no back-tracking for it.
 */
export function numbersRegex(numbers: readonly number[]): string {
  return textsRegex([...new Set(numbers)].sort((a, b) => a - b).map(String));
}

function textsRegex(texts: readonly string[]): string {
  const digitsOf = new Map<string, string>();
  for (const text of texts) {
    const before = text.slice(0, -1);
    digitsOf.set(before, (digitsOf.get(before) ?? '') + text.slice(-1));
  }
  const beforesOf = new Map<string, string[]>();
  for (const [before, digits] of digitsOf) beforesOf.set(digits, [...(beforesOf.get(digits) ?? []), before]);
  return [...beforesOf].map(([digits, befores]) => `${beforeRegex(befores)}${digitsRegex(digits)}`).join('|');
}

/** What stands before the last digit; nothing at all for numbers that have but one. */
function beforeRegex(befores: readonly string[]): string {
  const longer = befores.filter((before) => before !== '');
  if (longer.length === 0) return '';
  const regex = textsRegex(longer);
  if (longer.length < befores.length) return /^(?:\d|\[[^\]]*\])$/.test(regex) ? `${regex}?` : `(?:${regex})?`;
  return regex.includes('|') ? `(?:${regex})` : regex;
}

/** `[0-46]` of `012346` */
function digitsRegex(digits: string): string {
  if (digits.length === 1) return digits;
  const runs: string[] = [];
  for (const digit of digits) {
    const last = runs.at(-1);
    if (last !== undefined && Number(last.at(-1)) + 1 === Number(digit)) runs[runs.length - 1] = last + digit;
    else runs.push(digit);
  }
  return `[${runs.map((run) => (run.length > 2 ? `${run[0]}-${run.at(-1)}` : run)).join('')}]`;
}
