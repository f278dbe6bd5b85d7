import type { Command } from 'commander';
import type { LogOptions } from '../io/log.ts';
import type { Context } from './context.ts';
import { type NodeFlags, nodeOptions, toNodeTerms } from './node-options.ts';
import { logOptions } from './options.ts';

/** `signalbox node`. */
export function addNode(program: Command, { io, finish }: Context): void {
  const [level, form] = logOptions();
  const command = program
    .command('node')
    .description('run a node whose pods are processes of this machine, for any Kubernetes cluster')
    .option('--kubeconfig <file>', 'how to reach the cluster (default: as kubectl)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('--network-kubeconfig <file>', 'for looking at services, where the node itself may not (default: the same)')
    .option('--data <dir>', 'folder of the node (default: .signalbox-node)');
  for (const option of nodeOptions('')) command.addOption(option);
  command
    .option('--tls-cert-file <file>', 'what its door for logs and exec shows (default: a certificate signed by nobody)')
    .option('--tls-private-key-file <file>', 'the key of it')
    .option('--keep', 'let what runs go on at the end, for a node that starts after it within five minutes')
    .addOption(level)
    .addOption(form)
    .addHelpText('after', help)
    .action(async (flags: NodeCommandFlags) => {
      const { kubeconfig, context, networkKubeconfig, data, tlsCertFile, tlsPrivateKeyFile, keep, ...rest } = flags;
      if ((tlsCertFile === undefined) !== (tlsPrivateKeyFile === undefined))
        command.error('error: --tls-cert-file and --tls-private-key-file go together', { exitCode: 2 });
      const { logLevel, logFormat, ...terms } = rest;
      const { node } = await import('../commands/node.ts');
      const files = { kubeconfig, context, networkKubeconfig, data, tlsCertFile, tlsPrivateKeyFile };
      finish(await node({ ...files, logLevel, logFormat, keeps: keep === true, terms: toNodeTerms(terms) }, io));
    });
}

interface NodeCommandFlags extends LogOptions, NodeFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly networkKubeconfig?: string;
  readonly data?: string;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  readonly keep?: true;
}

const help = `
Examples:
  signalbox up --real                       a cluster and a node of this machine: usually all you need
  signalbox node --kubeconfig .signalbox/kubeconfig
                                            one more for a cluster that "signalbox up" runs
  signalbox node --kubeconfig node.kubeconfig --network-kubeconfig proxy.kubeconfig --taints real=true:NoSchedule
  signalbox node --image grafana/agent=/opt/grafana-agent --image 'shop/*=shop'
  signalbox node --images ./images --egress metrics.example.com:443

It needs Linux and the packages bubblewrap and iproute2, and no root. Pods live in a network of their own: they reach
each other, services and the API, and outside of it only what --egress names. Images are programs of this machine
(prometheus, vmagent, grafana-agent, exporters, shells, ...), or what lies unpacked or saved in --images.
A pod whose program is missing waits with ImagePullBackOff and says in its status what to install.

The first Ctrl-C (or SIGTERM) ends all that runs in its pods and leaves nothing but logs and claims. With --keep, or by
SIGHUP, what runs goes on until a node with the same folder takes it over, at most five minutes; also when a second
Ctrl-C ends the first one's work at once, and after a kill -9.
Exit codes: 0 stopped by the user; 1 it failed, or this machine cannot; 2 wrong usage.`;
