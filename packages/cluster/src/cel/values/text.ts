/** Texts as the language counts them: in characters of Unicode, ordered by their numbers. */

export function characterCount(text: string): number {
  let count = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code < 0xdc00 && index + 1 < text.length) {
      count--;
      index++;
    }
  }
  return count;
}

export function charactersOf(text: string): readonly string[] {
  return Array.from(text);
}

export function byteCount(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x800) bytes += code >= 0xd800 && code < 0xe000 ? 1 : 2;
    else if (code >= 0x80) bytes++;
  }
  return bytes;
}

export function compareTexts(left: string, right: string): number {
  if (left === right) return 0;
  const shorter = Math.min(left.length, right.length);
  for (let index = 0; index < shorter; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return place(a) - place(b);
  }
  return left.length - right.length;
}

/** Halves of characters beyond 16 bits come after all that have 16 bits. */
function place(code: number): number {
  return code >= 0xd800 && code < 0xe000 ? code + 0x1_0000 : code;
}
