/** As `string(1e21)` shows it: the shortest decimal form without an exponent where it is not huge or tiny. */
export function formatDouble(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return '+Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  if (Object.is(value, -0)) return '-0';
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 21) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
}
