package dev.wheelhouse.bench.apiserver;

import java.lang.management.ManagementFactory;
import java.util.Locale;

import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.client.KubeClient;

/**
 * A process whose clients call its own API server. Prints a row of the benchmark; its CPU time is that of the server,
 * the clients and the load.
 */
final class InProcessWrites {
    private InProcessWrites() {}

    /** @param args the number of clients, and seconds of each load */
    public static void main(String[] args) throws Exception {
        int clients = Integer.parseInt(args[0]);
        double seconds = Double.parseDouble(args[1]);
        try (ApiServer server = new ApiServer(ApiServerOptions.defaults()).start()) {
            KubeClient client = server.client("load");
            client.resource(ResourceType.NAMESPACES, V1Namespace.class)
                    .create(new V1Namespace().metadata(new V1ObjectMeta().name(Pods.NAMESPACE)));
            Writers.write(() -> PodCalls.by(client), clients, seconds);
            double before = cpuMicros();
            Writers.Outcome outcome = Writers.write(() -> PodCalls.by(client), clients, seconds);
            System.out.printf(Locale.ROOT, "| %s | none | %,.0f | %.1f | %.1f | %,.0f | 0 | 0 |%n",
                    "Wheelhouse, called in its process", outcome.perSecond(), outcome.millis(50), outcome.millis(99),
                    (cpuMicros() - before) / outcome.writes());
        }
        System.exit(0);
    }

    private static double cpuMicros() {
        return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class).getProcessCpuTime()
                / 1e3;
    }
}
