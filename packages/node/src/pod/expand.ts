export interface ExpandOptions {
  /** Is told the names that have no value. */
  missing?(name: string): void;
}

/** `$(NAME)` becomes its value, `$$` a dollar sign; what has no value stays as it is written. */
export function expand(
  text: string,
  find: (name: string) => string | undefined,
  { missing }: ExpandOptions = {},
): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (written, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = find(name);
    if (value === undefined) missing?.(name);
    return value ?? written;
  });
}
