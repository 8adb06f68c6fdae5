package dev.wheelhouse.spring;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

import dev.wheelhouse.api.Names;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.http.ContentType;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.client.http.KubeConfigs;
import dev.wheelhouse.node.NodeCredentials;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.Host;

/** The node of a process that joins a cluster by {@code --wheelhouse.node.bootstrap-kubeconfig}. */
final class NodeJoin {
    private final String node;
    private final Path directory;
    private final Path bootstrap;

    /** @param bootstrap the kubeconfig with a bootstrap token */
    NodeJoin(WheelhouseProperties properties, String bootstrap) {
        this.node = Objects.requireNonNullElseGet(properties.node().name(), Host::name);
        BadOption.require(Names.isSubdomain(node), "wheelhouse.node.name", node, "a DNS name in lower case");
        this.directory = Path.of(properties.node().runtimeDirectory(), node, "pki");
        this.bootstrap = Path.of(bootstrap);
    }

    /**
     * The kubeconfig of the node. Waits until the node has a certificate.
     *
     * @throws BadOption if it gets none
     */
    Path kubeconfig(KubeConfigs configs, Clock clock) {
        if (!NodeCredentials.areValid(node, directory, clock.now())) {
            KubeConfigs.Connection found = configs.fromFile(bootstrap, null);
            try (KubeClient client = new HttpKubeClient(found.api(), ContentType.JSON, clock)) {
                new NodeCredentials(node, directory, client, clock).join(found.api().getBasePath(), found.authority());
            } catch (IOException e) {
                throw new BadOption("wheelhouse.node.bootstrap-kubeconfig is " + bootstrap + ", but the node has no "
                        + "certificate in " + directory + ": " + e.getMessage());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new BadOption("the process was ended before the node " + node + " had a certificate");
            }
        }
        return NodeCredentials.kubeconfig(directory);
    }

    /** The loop that renews the certificate. */
    NodeCredentials renewal(KubeClient client, Clock clock) {
        return new NodeCredentials(node, directory, client, clock);
    }
}
