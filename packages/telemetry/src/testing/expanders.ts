/** What the programs in the agents' pods do to a whole file before it is read, as small models that tests can run. */

export type Environment = Readonly<Record<string, string>>;

/**
 * The config reloader: `$(NAME)`, once, wherever it stands. The one beside the Grafana Agent takes no file that names what
 * it does not know; the one beside Prometheus leaves that alone.
 */
export function reloaderExpanded(
  text: string,
  environment: Environment,
  { unknown }: { readonly unknown: 'fails' | 'stays' },
): string {
  return text.replace(/\$\(([a-zA-Z_0-9]+)\)/g, (whole, name: string) => {
    const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
    if (value === undefined && unknown === 'fails') throw new Error(`reference to unset environment variable ${name}`);
    return value ?? whole;
  });
}

/**
 * The Grafana Agent with `-config.expand-env`: `${NAME}`, empty when it is not set; of two dollar signs one is left; what
 * is only digits stays for relabelling. Functions such as `${NAME:-x}` exist as well: whoever tests has let one slip
 * through, so they throw as an unfinished one does.
 */
export function agentExpanded(text: string, environment: Environment): string {
  return text.replace(/\$(?:\$|\{([^}]*)(\}?))/g, (whole, name: string | undefined, end: string | undefined) => {
    if (name === undefined) return '$';
    if (end === '' || !/^\w+$/.test(name)) throw new Error(`bad substitution ${whole}`);
    if (/^\d+$/.test(name)) return whole;
    return Object.hasOwn(environment, name) ? (environment[name] ?? '') : '';
  });
}
