package dev.wheelhouse;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

import io.kubernetes.client.openapi.ApiClient;

import dev.wheelhouse.manager.ControllerManager;
import dev.wheelhouse.embedded.HollowCluster;

/** The service in this process, on free ports, with its kubeconfig in a directory of the test's. */
final class RunningService implements AutoCloseable {
    private final ConfigurableApplicationContext context;
    private final Path kubeconfig;

    private RunningService(ConfigurableApplicationContext context, Path kubeconfig) {
        this.context = context;
        this.kubeconfig = kubeconfig;
    }

    /** Starts it, and waits until the controllers run and the nodes are ready. */
    static RunningService start(Path directory, String... options) {
        Path kubeconfig = directory.resolve("wheelhouse.kubeconfig");
        List<String> args = new ArrayList<>(List.of("--server.port=0", "--wheelhouse.apiserver.port=0",
                "--wheelhouse.apiserver.kubeconfig=" + kubeconfig));
        args.addAll(List.of(options));
        RunningService service = new RunningService(
                new SpringApplicationBuilder(WheelhouseApplication.class).run(args.toArray(String[]::new)), kubeconfig);
        try {
            Eventually.eventually("controllers run and nodes are ready", Duration.ofSeconds(60),
                    () -> service.context.getBean(ControllerManager.class).isRunning()
                            && service.context.getBean(HollowCluster.class).isReady());
            return service;
        } catch (AssertionError e) {
            service.close();
            throw e;
        }
    }

    Path kubeconfig() {
        return kubeconfig;
    }

    /** The official client, connected to the same API server. */
    ApiClient api() {
        return context.getBean(ApiClient.class);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    /** Where health and metrics are. */
    String actuator() {
        return "http://127.0.0.1:" + context.getEnvironment().getRequiredProperty("local.server.port") + "/actuator";
    }

    @Override
    public void close() {
        context.close();
    }
}
