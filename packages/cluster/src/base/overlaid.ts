/** The same object with some members in place of its own; everything else as it is, whatever it is made of. */
export function overlaid<T extends object>(target: T, own: Partial<T>): T {
  return new Proxy(target, {
    get(inner, name) {
      if (Object.hasOwn(own, name)) return own[name as keyof T];
      const member: unknown = Reflect.get(inner, name, inner);
      return typeof member === 'function' ? member.bind(inner) : member;
    },
  });
}
