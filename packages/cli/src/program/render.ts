import type { Command } from 'commander';
import type { Context } from './context.ts';

/** `signalbox render`. */
export function addRender(program: Command, { io, finish }: Context): void {
  program
    .command('render')
    .description('show what the operator would make of manifests, without any cluster')
    .requiredOption('-f, --file <path...>', 'manifests: a file, a folder, or - for standard input; may be repeated')
    .option('--configs', 'only the configurations of the agents')
    .option('-o, --output <form>', 'yaml, json, or a folder to write files to', 'yaml')
    .option('--strict', 'fail when a resource is left out because of an error in it')
    .addHelpText('after', help)
    .action(async ({ file, output, configs, strict }: RenderFlags) => {
      const { render } = await import('../commands/render.ts');
      finish(await render({ file, output, configs: configs === true, strict: strict === true }, io));
    });
}

interface RenderFlags {
  readonly file: readonly string[];
  readonly configs?: true;
  readonly output: string;
  readonly strict?: true;
}

const help = `
Examples:
  signalbox render -f monitoring/                   every object that the operator would create
  signalbox render -f monitoring/ --configs         each configuration under its "# namespace/secret/key"
  signalbox render -f monitoring/ --configs -o json | jq -r '."monitoring/agent-config/agent.yml"'
  signalbox render -f monitoring/ -o out/           one file per object
  kustomize build . | signalbox render -f - --strict

Resources that name no namespace are taken to be in "default". What is wrong with a resource goes to standard error as
file:line, object, field.
Exit codes: 0 rendered, perhaps with findings; 1 a manifest cannot be read or a server would refuse it, or with --strict
a resource had to be left out; 2 wrong usage.`;
