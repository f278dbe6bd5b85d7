/** What `--help` says after the list of options: examples first, then what one needs to know. */
export const programHelp = `
Examples:
  signalbox up -f examples/quickstart       a cluster with agents on every node and shard
  signalbox render -f monitoring/ --configs  the agents' configurations, without a cluster
  signalbox operator --install-crds         the operator on the cluster that kubectl talks to
  signalbox tree                            what belongs to what, and how it is

Exit codes: 0 done, 1 it failed, 2 wrong usage.
Colours are used on a terminal only, and not when NO_COLOR is set.`;

export const upHelp = `
Examples:
  signalbox up                                      an empty cluster with 3 nodes
  signalbox up -f examples/quickstart               apply a folder, wait, print the tree
  signalbox up -f app.yaml -f monitors/ --nodes 10  several manifests, more nodes
  helm template my-chart | signalbox up -f -        manifests from standard input
  signalbox up -f tests/ --memory --port 0 --exit-when-ready --timeout 1m
                                                    in a pipeline: is everything ready within a minute?

A folder means its *.yaml, *.yml and *.json files, without subfolders. Nothing is started when a file cannot be read.
The cluster is kept in .signalbox/ and continues there at the next start; its kubeconfig is .signalbox/kubeconfig:
  export KUBECONFIG=.signalbox/kubeconfig
With --memory it is .signalbox/memory.kubeconfig, so that a cluster in the folder keeps its own.

Progress goes to standard error, the result to standard output. The first Ctrl-C stops in order, the second at once.
Exit codes: 0 stopped by the user, or all ready with --exit-when-ready; 1 it failed or is not ready; 2 wrong usage.`;

export const renderHelp = `
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

export const operatorHelp = `
Examples:
  signalbox operator --install-crds                          on the cluster that kubectl talks to
  signalbox operator --kubeconfig .signalbox/kubeconfig      on a cluster that "signalbox up" runs
  signalbox operator --namespace team-a --namespace team-b   for two namespaces only
  signalbox operator --context production --lease-namespace monitoring

Of several operators on one cluster one works and the others wait: they agree through the Lease "signalbox-operator".
The log goes to standard error. The first Ctrl-C (or SIGTERM) stops in order and gives the lease back.
Exit codes: 0 stopped by the user; 1 it failed; 2 wrong usage.`;

export const treeHelp = `
Examples:
  signalbox tree                                   the cluster that "signalbox up" runs from this folder
  signalbox tree --context production              a cluster of your kubeconfig
  signalbox tree -o json | jq '.[].conditions'

✓ ready, … not ready yet, ✗ something is wrong; the reasons stand under each object.
Exit codes: 0 done; 1 the cluster cannot be reached or refuses; 2 wrong usage.`;

export const completionHelp = `
Examples:
  source <(signalbox completion bash)                               in ~/.bashrc
  source <(signalbox completion zsh)                                in ~/.zshrc
  signalbox completion fish > ~/.config/fish/completions/signalbox.fish
  signalbox completion powershell | Out-String | Invoke-Expression  in $PROFILE`;
