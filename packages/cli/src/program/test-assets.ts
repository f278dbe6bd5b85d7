import { type Command, Option } from 'commander';
import type { Context } from './context.ts';

/** `signalbox test-assets`. */
export function addTestAssets(program: Command, { io, finish }: Context): void {
  program
    .command('test-assets')
    .description('print a folder with the etcd and kube-apiserver that envtest starts: Signalbox in memory')
    .option('--folder <dir>', 'where to make the folder (default: signalbox/test-assets in the user’s cache)')
    .addOption(
      new Option('--print <form>', 'the path, or a line for the shell').choices(['path', 'env']).default('path'),
    )
    .addHelpText('after', help)
    .action(async ({ folder, print }: TestAssetsFlags) => {
      const { testAssets } = await import('../commands/test-assets.ts');
      finish(await testAssets({ folder, print }, io));
    });
}

interface TestAssetsFlags {
  readonly folder?: string;
  readonly print: 'path' | 'env';
}

const help = `
Examples:
  KUBEBUILDER_ASSETS="$(npx signalbox test-assets)" go test ./...
  eval "$(signalbox test-assets --print env)"             for this shell
  SIGNALBOX_TEST_CONTROLLERS=all go test ./e2e/...        with controllers, a scheduler and three simulated nodes

Each test package starts an API of its own, in memory, in less than a second, and ends it. It is the API alone, as with
upstream's programs: nothing collects garbage, makes pods of Deployments or ends namespaces, unless
SIGNALBOX_TEST_CONTROLLERS says what is to run: all, or names such as deployment,replicaset,garbage-collector,namespace
(kube-apiserver --help in the folder). A kubectl that is in the PATH is linked in the folder.

The folder is made once for a version of Signalbox, of Node.js and of kubectl, and never changes; it may be deleted at
any time. Nothing is downloaded. https://signalbox.dev/envtest, or docs/envtest.md, says what differs from upstream.
Exit codes: 0 printed; 1 the folder cannot be made; 2 wrong usage.`;
