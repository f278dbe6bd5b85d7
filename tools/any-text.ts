import fc from 'fast-check';

const lastCharacter = 0x10ffff;
const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

const anyOfUnicode = fc
  .integer({ min: 0, max: lastCharacter })
  .filter((code) => !isSurrogate(code))
  .map((code) => String.fromCodePoint(code));

/**
 * A character of a text that may hold any; small codes, and with them control characters, come often. Of the unit `binary`
 * fast-check lists all 1.1 million first: half a second in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.oneof(
  anyOfUnicode,
  fc.nat(0x7f).map((code) => String.fromCharCode(code)),
);

/** Texts of any characters. */
export const anyText = (
  constraints: { readonly minLength?: number; readonly maxLength?: number } = {},
): fc.Arbitrary<string> => fc.string({ ...constraints, unit: anyCharacter });
