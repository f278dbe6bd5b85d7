import fc from 'fast-check';

const lastCharacter = 0x10ffff;
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

/**
 * Any character of Unicode. `unit: 'binary'` of `fc.string` means the same, and lists all 1.1 million of them first, for every arbitrary:
 * half a second each.
 */
const character = fc
  .integer({ min: 0, max: lastCharacter })
  .filter((code) => !isSurrogate(code))
  .map((code) => String.fromCodePoint(code));

/** Texts of any characters; small codes, and with them control characters, come often. */
export const anyText = (
  constraints: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> =>
  fc.string({
    ...constraints,
    unit: fc.oneof(
      character,
      fc.nat(0x7f).map((code) => String.fromCharCode(code)),
    ),
  });
