package dev.wheelhouse.spring;

import java.util.List;
import java.util.Optional;

/** What can be said of the command line before anything starts: help, and options that mean nothing to this program. */
public final class CommandLine {
    private static final List<String> PREFIXES = List.of("wheelhouse.", "server.", "spring.", "management.", "logging.",
            "debug", "trace",
            "kubernetes.", "info.");

    private static final String HELP = """
            Wheelhouse, a Kubernetes controller manager.

            Without options it starts an API server of its own, with hollow nodes and a scheduler, and runs the controllers on it.

              --wheelhouse.mode=auto|embedded|kubeconfig|in-cluster   which API server to work on
              --wheelhouse.kubeconfig=FILE                            the kubeconfig to use
              --wheelhouse.context=NAME                               its context, instead of the current one
              --wheelhouse.controllers=*,-NAME                        which controllers run (-*: none)
              --wheelhouse.manage=auto|takeover|observe               whether the controllers write (auto: unless another manager is alive)
              --wheelhouse.workers=N                                  workers of each controller,
              --wheelhouse.workers-of.NAME=N                          and of one of them
              --wheelhouse.leader-election.enabled=true               act only while holding a Lease (unsaid: in a cluster's pod),
              --wheelhouse.leader-election.resource-namespace=NAMESPACE --wheelhouse.leader-election.resource-name=NAME
              --wheelhouse.leader-election.lease-duration=15s         taken by others so long after its last renewal,
              --wheelhouse.leader-election.renew-deadline=10s         given up by its holder so long after it,
              --wheelhouse.leader-election.retry-period=2s            and tried for so often
              --wheelhouse.apiserver.address=ADDRESS                  the embedded API server: where it listens,
              --wheelhouse.apiserver.port=PORT                        on which port (0: any free one),
              --wheelhouse.apiserver.kubeconfig=FILE                  where it writes how to reach it,
              --wheelhouse.apiserver.data-dir=DIR                     and where it keeps everything (unsaid: in memory),
              --wheelhouse.apiserver.fsync=false                      without waiting for the disk (survives kill -9 only);
              --wheelhouse.apiserver.authorization-mode=MODE          always-allow, or rbac: by roles and bindings;
              --wheelhouse.apiserver.token-auth-file=FILE             who is who, lines of token,user,uid,"group1,group2";
              --wheelhouse.apiserver.tls-self-signed=true             TLS by a certificate of its own, or by
              --wheelhouse.apiserver.tls-cert-file=FILE --wheelhouse.apiserver.tls-private-key-file=FILE
              --wheelhouse.apiserver.client-ca-file=FILE              who signs clients' certificates;
              --wheelhouse.apiserver.external-hostname=NAME           how clients call it, where not by the address;
              --wheelhouse.apiserver.limits.requests=N --wheelhouse.apiserver.limits.watches=N --wheelhouse.apiserver.limits.connections=N
              --wheelhouse.apiserver.limits.body-size=3MB --wheelhouse.apiserver.limits.header-size=64KB
              --wheelhouse.apiserver.limits.io-timeout=30s --wheelhouse.apiserver.limits.request-timeout=60s
                                                                      what clients may ask, and how slowly
              --wheelhouse.nodes.count=N                              how many hollow nodes, and what each has:
              --wheelhouse.nodes.cpu=4 --wheelhouse.nodes.memory=8Gi --wheelhouse.nodes.pods=110 --wheelhouse.nodes.name-prefix=node-
              --wheelhouse.nodes.profile=PROFILE                      how pods behave that do not say so themselves:
                                                                      none, slow, flaky, stuck, crashing, unpullable
              --wheelhouse.scheduler=true|false                       whether to run a scheduler (unsaid: in mode embedded)
              --wheelhouse.node.name=NAME                             one more node, on any API server; without a name: the first
                                                                      hollow node, or one with the host's name. What it runs:
              --wheelhouse.node.manifest-directory=PATH               static pods, by default from manifests/ if it is there,
              --wheelhouse.node.manifest-url=URL                      and from a URL,
              --wheelhouse.node.manifest-url-headers=NAME:VALUE,...   with these headers,
              --wheelhouse.node.file-check-period=20s                 read so often at least,
              --wheelhouse.node.http-check-period=20s                 and so often,
              --wheelhouse.node.config=FILE                           or all this by a KubeletConfiguration
              --wheelhouse.node.capacity=cpu=4,memory=8Gi,pods=110    what it has,
              --wheelhouse.node.labels=KEY=VALUE,...                  how it is labelled,
              --wheelhouse.node.taints=KEY=VALUE:EFFECT,...           and what keeps pods away
              --wheelhouse.informer.drop-last-applied=true            caches leave kubectl's copy of what was applied out
              --wheelhouse.informer.watch-list=true                   caches are filled by a watch instead of a list
              --server.port=PORT                                      health and metrics (0: any free port),
              --wheelhouse.management.hosts=NAME,...                  called by these names, beside addresses and the machine's name

            Any other Spring Boot property works as well.""";

    private CommandLine() {}

    /** What to say instead of starting. */
    public record Answer(String text, int exitCode) {}

    /** Empty if the service may start. */
    public static Optional<Answer> check(String... args) {
        for (String arg : args) {
            if (arg.equals("--help") || arg.equals("-h")) {
                return Optional.of(new Answer(HELP, 0));
            }
            if (!arg.startsWith("--")) {
                return refuse("\"" + arg + "\" is no option: options are written --name=value, and --help lists them");
            }
            String name = arg.substring(2).split("=", 2)[0];
            if (PREFIXES.stream().noneMatch(name::startsWith)) {
                return refuse("there is no option --" + name + ": --help lists the options");
            }
        }
        return Optional.empty();
    }

    private static Optional<Answer> refuse(String problem) {
        return Optional.of(new Answer(Sentences.PREFIX + problem, 1));
    }
}
