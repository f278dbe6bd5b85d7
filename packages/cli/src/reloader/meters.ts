/** What /metrics tells: the names of prometheus-config-reloader, for the dashboards and alerts that are there. */
export interface Meters {
  count(name: CounterName): void;
  set(name: GaugeName, value: number): void;
  /** In the text format of Prometheus. */
  text(facts: readonly Sample[]): string;
}

/** A value that is read when it is asked for. */
export interface Sample {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

const counters = {
  reloader_config_apply_operations_total: 'Looks at the files after the first one.',
  reloader_config_apply_operations_failed_total:
    'Looks after the first one that failed, or whose output was not written.',
  reloader_reloads_total: 'Reloads that were asked for.',
  reloader_reloads_failed_total: 'Reloads that were asked for and refused.',
  reloader_watch_events_total: 'Changes of files that the system told of.',
  reloader_watch_errors_total: 'Files and folders that could not be watched.',
} as const;
const gauges = {
  reloader_config_environment_variable_expansion_errors: 'Variables without a value that the configuration names.',
  reloader_last_reload_successful: 'Whether the last reload was successful.',
  reloader_last_reload_success_timestamp_seconds: 'When a reload was successful last.',
  reloader_watches: 'Files and folders that are watched.',
} as const;
export type CounterName = keyof typeof counters;
export type GaugeName = keyof typeof gauges;

export function createMeters(): Meters {
  const values = new Map<string, number>();
  const own = (type: Sample['type'], table: Readonly<Record<string, string>>): readonly Sample[] =>
    Object.entries(table).map(([name, help]) => ({ name, type, help, value: values.get(name) ?? 0 }));
  return {
    count: (name) => void values.set(name, (values.get(name) ?? 0) + 1),
    set: (name, value) => void values.set(name, value),
    text: (facts) =>
      [...own('counter', counters), ...own('gauge', gauges), ...facts]
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(formatSample)
        .join(''),
  };
}

function formatSample({ name, type, help, labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${text.replace(/[\\"]/g, '\\$&')}"`);
  const set = pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${name}${set} ${value}\n`;
}
