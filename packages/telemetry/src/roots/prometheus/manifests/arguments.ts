import type { Section } from '../../../scrape/http.ts';
import { fieldsOf, isServer, type PrometheusRoot } from '../config/document.ts';
import { sheetOf } from '../config/fields/sheets.ts';
import type { Place } from '../config/settings.ts';

export const configOutFolder = '/etc/prometheus/config_out';
export const envsubstFile: string = `${configOutFolder}/prometheus.env.yaml`;
export const webConfigFile = '/etc/prometheus/web_config/web-config.yaml';
export const dataFolder = '/prometheus';

export interface Arguments {
  readonly args: readonly string[];
  /** Names among `additionalArgs` that the operator sets itself. */
  readonly clashes: readonly string[];
}

/** The command line of Prometheus, in upstream's order: a different order would restart every pod on take-over. */
export function prometheusArguments(root: PrometheusRoot, at: Omit<Place, 'at'>): Arguments {
  const { version } = at;
  const place = { ...at, at: 'spec' };
  const fields = fieldsOf(root);
  const on = (sheet: 'argument' | 'lastArgument' | 'storageArgument'): readonly string[] =>
    asArguments(sheetOf(root.spec, { fields, sheet }, place));
  const own = [
    `--config.file=${envsubstFile}`,
    ...(version.major === 2
      ? [
          '--web.console.templates=/etc/prometheus/consoles',
          '--web.console.libraries=/etc/prometheus/console_libraries',
        ]
      : []),
    ...on('argument'),
    ...(isServer(root) ? [] : [version.major === 2 ? '--enable-feature=agent' : '--agent']),
    `--storage.${isServer(root) ? 'tsdb' : 'agent'}.path=${dataFolder}`,
    ...on('storageArgument'),
    `--web.config.file=${webConfigFile}`,
    ...on('lastArgument'),
  ];
  const names = new Set(own.map(nameOf));
  const additional = root.spec.additionalArgs ?? [];
  return {
    args: [
      ...own,
      ...additional.map(({ name, value }) =>
        value === undefined || value === '' ? `--${name}` : `--${name}=${value}`,
      ),
    ],
    clashes: additional.map(({ name }) => name).filter((name) => names.has(positive(name))),
  };
}

/** The reloader sends a signal instead of a request, for which it has to see the process. */
export function reloadsBySignal({ spec }: PrometheusRoot): boolean {
  return spec.reloadStrategy === 'ProcessSignal';
}

export function routePrefix({ spec }: PrometheusRoot): string {
  return spec.routePrefix || '/';
}

function asArguments(lines: Section): readonly string[] {
  return Object.entries(lines).map(([name, value]) => {
    if (typeof value === 'boolean') return value ? `--${name}` : `--no-${name}`;
    return `--${name}=${String(value)}`;
  });
}

function nameOf(argument: string): string {
  return positive(argument.slice('--'.length).split('=')[0] ?? '');
}

/** A flag and its `no-` twin are the same flag. */
function positive(name: string): string {
  return name.startsWith('no-') ? name.slice('no-'.length) : name;
}
