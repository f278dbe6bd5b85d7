import { type Command, Option } from 'commander';
import { flags } from '../reloader/flags.ts';

/** `signalbox reloader`, of which only the help is the command line's: main.ts starts it without loading that. */
export function addReloader(program: Command): void {
  const command = program
    .command('reloader')
    .description('beside an agent: write its configuration for its pod, and reload it on every change')
    .addHelpText('after', help);
  for (const { name, value, default: preset, choices, isRepeated, help: text } of flags) {
    const form = value === undefined ? `--${name}` : `--${name} <${value}${isRepeated === true ? '...' : ''}>`;
    const option = new Option(form, preset === undefined ? text : `${text} (default: ${preset})`);
    command.addOption(choices === undefined ? option : option.choices(choices));
  }
}

const help = `
Examples:
  signalbox reloader --config-file=in/prometheus.yaml.gz --config-envsubst-file=out/prometheus.yaml --watch-interval=0
                                      write it once and end, as an init container does
  signalbox reloader --config-file=in/agent.yml --config-envsubst-file=out/agent.yml \\
    --reload-url=http://127.0.0.1:8080/-/reload --listen-address=:8081
                                      stay, reload on every change, serve /metrics and /healthz
  signalbox reloader --watched-dir=rules --reload-method=signal --process-executable-name=prometheus

It takes the flags of prometheus-config-reloader, under whose image it can be run. A packed configuration is unpacked;
$(NAME) becomes the value of the variable NAME and stays where there is none. What cannot be read or written is told
and tried again, and the last good output stays. The log goes to stderr.
Exit codes: 0 done, or ended by SIGTERM; 1 the first configuration could not be read or written; 2 wrong usage.`;
